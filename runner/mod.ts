/**
 * runner: asks a server for turns of sessions, and carries them out with real
 * agents.
 *
 * It knows the server by its protocol alone, and no other part of the program.
 *
 * @module
 */
export type {
  FailureClass,
  FileOrder,
  HelloRequest,
  HookOrder,
  LeasedTurn,
  LimitWindow,
  LoginLimits,
  LoginReport,
  McpServerOrder,
  ProcessIdentity,
  RuntimeReport,
  SkillOrder,
  TreeOrder,
  TurnDurations,
  TurnEventKind,
  TurnKind,
  TurnOutcome,
  UsageReport,
} from "../fleet/turns/protocol.ts";
export type { Json } from "./agents/acp/peer.ts";
export type {
  AgentPackage,
  HomeFile,
  Permission,
  Profile,
  ToolCallFacts,
  UsageSource,
} from "./agents/acp/profile.ts";
export type {
  AgentEnd,
  AgentTask,
  McpServer,
  RunningAgent,
  Runtime,
} from "./agents/agent.ts";
export type { Offer, OfferOptions } from "./agents/build_runtimes.ts";
export { buildRuntimes } from "./agents/build_runtimes.ts";
export type {
  HookForm,
  HookPlace,
  PlacedHook,
  ToldHooks,
} from "./agents/hooks.ts";
export type { FindOptions, FoundAgent } from "./agents/find_agents.ts";
export { findAgents, installFolder } from "./agents/find_agents.ts";
export {
  parseProfiles,
  ProfileError,
  PROFILES,
} from "./agents/profiles/profiles.ts";
export type { AgentUser } from "./folders.ts";
export type { AgentProcess, AgentProgram } from "./process/agent_process.ts";
export type { Ceilings } from "./process/limits.ts";
export type { Line } from "./process/line_reader.ts";
export type { RunnerOptions } from "./runner.ts";
export { RunnerError, runRunner } from "./runner.ts";
export type { Report } from "./turn/deps.ts";
export type { Clocks } from "./turn/fence.ts";
