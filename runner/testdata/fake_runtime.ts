/**
 * The fake agent as a runtime.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { Profile } from "../agents/acp/profile.ts";
import { acpRuntime } from "../agents/acp/runtime.ts";
import type { Runtime } from "../agents/agent.ts";
import { CLAUDE_CODE } from "../agents/profiles/claude_code.ts";
import { parseProfiles } from "../agents/profiles/profiles.ts";

/** How it starts. */
export const FAKE_AGENT_ARGV: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "-q",
  "--no-prompt",
  "--no-config",
  fileURLToPath(import.meta.resolve("./fake_agent.ts")),
];

/** Its runtime, named `fake`; `given` changes its profile, `env` itself. */
export function fakeRuntime(
  home: string,
  env: Readonly<Record<string, string>> = {},
  given: Partial<Profile> = {},
): Runtime {
  const [profile] = parseProfiles(JSON.stringify({
    fake: {
      argv: FAKE_AGENT_ARGV,
      asking_mode: "ask",
      env: { ...env, FAKE_AGENT_HOME: home },
      variables: ["DENO_DIR"],
    },
  }));
  if (profile === undefined) throw new Error("There is no profile");
  return acpRuntime({
    profile: {
      ...profile,
      // As Claude's, so that its limits are read.
      readLimits: CLAUDE_CODE.readLimits,
      ...given,
    },
    argv: profile.argv,
  });
}
