/**
 * runner: asks a server for turns of sessions, and carries them out with real
 * agents.
 *
 * It knows the server by its protocol alone, and no other part of the program.
 *
 * @module
 */
export type { AgentPackage, Profile } from "./agents/acp/profile.ts";
export type { FoundAgent } from "./agents/find_agents.ts";
export { findAgents, installFolder } from "./agents/find_agents.ts";
export {
  parseProfiles,
  ProfileError,
  PROFILES,
} from "./agents/profiles/profiles.ts";
export type { AgentUser } from "./folders.ts";
export type { RunnerOptions } from "./runner.ts";
export { RunnerError, runRunner } from "./runner.ts";
export { buildRuntimes } from "./agents/build_runtimes.ts";
