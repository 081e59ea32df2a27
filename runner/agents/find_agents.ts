/**
 * Which agents can be started on this machine, and what is known of them.
 *
 * Nothing is downloaded here: an agent is offered when its program is on PATH,
 * or when somebody has installed its package into the runner's folder.
 *
 * @module
 */
import type { RuntimeReport } from "../../fleet/turns/protocol.ts";
import type { Profile } from "./acp/profile.ts";

/** An agent that was found. */
export interface FoundAgent {
  /** Which. */
  readonly profile: Profile;
  /** Program and arguments, whole. */
  readonly argv: readonly string[];
  /** What is said of it. */
  readonly report: RuntimeReport;
}

/** Where to look. */
export interface FindOptions {
  /** Folder of installed agents. */
  readonly agents: string;
  /** Home of the agents. */
  readonly home: string;
  /** The runner's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The Deno that runs packages. @default {this one} */
  readonly deno?: string;
}

/** Looks for each profile. */
export async function findAgents(
  profiles: readonly Profile[],
  options: FindOptions,
): Promise<readonly FoundAgent[]> {
  const found = await Promise.all(profiles.map((one) => find(one, options)));
  return found.filter((one) => one !== undefined);
}

/** Where a profile is installed, whether it is or not. */
export function installFolder(agents: string, { name }: Profile): string {
  return `${agents}/${name}`;
}

async function find(
  profile: Profile,
  options: FindOptions,
): Promise<FoundAgent | undefined> {
  const argv = await findInstalled(profile, options) ??
    await findOnPath(profile, options);
  if (argv === undefined) return undefined;
  return {
    profile,
    argv: argv.argv,
    report: {
      name: profile.name,
      version: argv.version,
      models: [],
      login: {
        account: await hasLogin(profile, options) ? "default" : null,
        state: await hasLogin(profile, options) ? "found" : "missing",
      },
    },
  };
}

interface FoundProgram {
  readonly argv: readonly string[];
  readonly version: string | null;
}

async function findInstalled(
  profile: Profile,
  { agents, deno = Deno.execPath() }: FindOptions,
): Promise<FoundProgram | undefined> {
  if (profile.package === null) return undefined;
  const { name, bin, runsInDeno } = profile.package;
  const base = `${installFolder(agents, profile)}/node_modules/${name}`;
  try {
    const manifest = JSON.parse(
      await Deno.readTextFile(`${base}/package.json`),
    );
    const file = typeof manifest.bin === "string"
      ? manifest.bin
      : manifest.bin[bin];
    const path = `${base}/${file}`;
    await Deno.stat(path);
    const program = runsInDeno
      ? [
        deno,
        "run",
        "-A",
        "-q",
        "--no-prompt",
        "--node-modules-dir=manual",
        path,
      ]
      : [path];
    return {
      argv: [...program, ...profile.argv.slice(1)],
      version: String(manifest.version),
    };
  } catch {
    return undefined; // It was never installed, or not to its end.
  }
}

async function findOnPath(
  { argv: [program = "", ...args] }: Profile,
  { env }: FindOptions,
): Promise<FoundProgram | undefined> {
  const folders = program.includes("/") ? [""] : (env.PATH ?? "").split(":");
  for (const folder of folders) {
    const path = folder === "" ? program : `${folder}/${program}`;
    const info = await Deno.stat(path).catch(() => undefined);
    if (info?.isFile === true && ((info.mode ?? 0) & 0o111) !== 0) {
      return { argv: [path, ...args], version: null };
    }
  }
  return undefined;
}

async function hasLogin(
  { loginFiles, loginVariables }: Profile,
  { home, env }: FindOptions,
): Promise<boolean> {
  if (loginVariables.some((name) => (env[name] ?? "") !== "")) return true;
  for (const path of loginFiles) {
    const info = await Deno.stat(`${home}/${path}`).catch(() => undefined);
    if (info?.isFile === true) return true;
  }
  return false;
}
