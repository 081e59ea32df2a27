/**
 * What an agent is given for a turn beside its tree: its environment, MCP
 * servers, skills and hooks, and in words what it is not given.
 *
 * Specification: docs/spec/runner.md section 6.
 *
 * @module
 */
import type { LeasedTurn } from "../../fleet/turns/protocol.ts";
import type { AgentTask, Runtime } from "../agents/agent.ts";
import { makeAgentFolder } from "../folders.ts";
import { agentEnvironment } from "../process/environment.ts";
import type { TurnDeps } from "./deps.ts";
import { placeHooks } from "./hooks.ts";
import { type ResolvedServers, resolveServers } from "./mcp_servers.ts";
import { placeSkills } from "./skills.ts";

/** What it is given; what goes with the turn is removed with this. */
export interface Equipment
  extends
    AsyncDisposable,
    ResolvedServers,
    Pick<AgentTask, "env" | "toldHooks"> {}

/** Gives it. */
export async function equip(
  turn: LeasedTurn,
  { deps, runtime, cwd, stateFolder }: {
    readonly deps: TurnDeps;
    readonly runtime: Runtime;
    /** The agent's working folder. */
    readonly cwd: string;
    /** The session's own folder. */
    readonly stateFolder: string;
  },
): Promise<Equipment> {
  const { client, folders } = deps;
  const owner = folders.agentUser;
  const temporary = `${stateFolder}/tmp`;
  await makeAgentFolder(temporary, folders);
  const env = agentEnvironment({
    from: deps.env,
    added: deps.addedNames,
    ofRuntime: runtime.variables,
    home: folders.home,
    temporary,
    own: { GIT_CEILING_DIRECTORIES: folders.sessions },
  });
  const resolved = resolveServers(turn, deps);
  const skillNotices = await placeSkills(turn, {
    cwd,
    folder: runtime.skillsFolder,
    client,
    owner,
  });
  const hooks = await placeHooks(turn, {
    env: deps.env,
    trustsCatalogs: deps.trustsCatalogs,
    runtime,
    client,
    stateFolder,
    agentEnv: env,
    owner,
  });
  return {
    ...resolved,
    notices: [
      ...turn.left_out,
      ...resolved.notices,
      ...skillNotices,
      ...hooks.notices,
    ],
    env,
    toldHooks: hooks.told,
    [Symbol.asyncDispose]: () => hooks.leave(),
  };
}
