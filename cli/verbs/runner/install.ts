/**
 * Puts an agent's pinned package into the runner's folder: the only moment at
 * which one is downloaded.
 *
 * @module
 */
import { installFolder } from "../../../runner/mod.ts";
import { print } from "../../output.ts";
import { ConfigError } from "../../settings/config.ts";
import type { Call } from "../../verb.ts";
import { profilesOf } from "../../runner/agent_profiles.ts";
import { folderOf, type RunnerConfig } from "./run.ts";

/** Installs one, after it was said what it is. @throws {ConfigError} */
export async function installAgent(
  call: Call,
  config: RunnerConfig,
  name: string | undefined,
): Promise<number> {
  const profiles = await profilesOf(config);
  const known = profiles.filter((one) => one.package !== null);
  const profile = known.find((one) => one.name === name);
  if (profile?.package === undefined || profile.package === null) {
    throw new ConfigError([
      `install needs one of ${known.map((one) => one.name).join(", ")}`,
    ]);
  }
  const { name: pack, version, licence, megabytes, needsScript } =
    profile.package;
  const folder = installFolder(`${folderOf(call, config)}/agents`, profile);
  print(`${pack} ${version}: about ${megabytes} MB, licence ${licence}`);
  print(`It goes to ${folder}`);
  if (call.flags.yes !== true && !confirm("Download it?")) {
    print("Nothing was downloaded; --yes answers for you");
    return 1;
  }
  await Deno.mkdir(folder, { recursive: true });
  // A narrow mask of the caller's would close it.
  if (Deno.build.os !== "windows") await Deno.chmod(folder, 0o755);
  const common = ["--prefix", folder, "--no-audit", "--no-fund"];
  // Of all scripts that a package and what it brings may have, at most its own.
  const isInstalled = await npm(
    ["install", ...common, "--ignore-scripts", `${pack}@${version}`],
  ) && (!needsScript || await npm(["rebuild", ...common, pack]));
  if (!isInstalled) {
    print("npm could not install it; nothing is offered that is not whole");
    return 1;
  }
  print(`Installed; the next start of the runner offers "${profile.name}"`);
  return 0;
}

/** Agents of root's runner are another user, who has to read what it writes. */
const OPEN_NPM = ["/bin/sh", "-c", 'umask 022 && exec npm "$@"', "npm"];

async function npm(args: readonly string[]): Promise<boolean> {
  const [program = "", ...own] = Deno.build.os === "windows"
    ? ["npm"]
    : OPEN_NPM;
  const { success } = await new Deno.Command(program, {
    args: [...own, ...args],
  }).spawn().status;
  return success;
}
