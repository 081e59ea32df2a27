/**
 * The agents that are known here: those of the program, and those of a file.
 *
 * @module
 */
import {
  parseProfiles,
  type Profile,
  ProfileError,
  PROFILES,
} from "../../runner/mod.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { callerPath } from "../settings/environment.ts";

/** All agents that are known. @throws {ConfigError} */
export async function profilesOf(
  { agentProfiles }: Config<"agentProfiles">,
): Promise<readonly Profile[]> {
  if (agentProfiles === undefined) return PROFILES;
  const path = callerPath(agentProfiles);
  try {
    const added = parseProfiles(await Deno.readTextFile(path));
    const names = added.map(({ name }) => name);
    return [...PROFILES.filter(({ name }) => !names.includes(name)), ...added];
  } catch (error) {
    const problems = error instanceof ProfileError
      ? error.problems
      : [error instanceof Error ? error.message : String(error)];
    throw new ConfigError(
      problems.map((problem) => `AGENT_PROFILES (${path}): ${problem}`),
    );
  }
}
