/**
 * A profile as something that carries out turns.
 *
 * @module
 */
import type { Runtime } from "../agent.ts";
import { AcpAgent, type AcpLaunch } from "./acp_agent.ts";

/** The runtime of an agent that was found on this machine. */
export function acpRuntime(launch: AcpLaunch): Runtime {
  const { profile } = launch;
  return {
    name: profile.name,
    variables: profile.variables,
    skillsFolder: profile.skillsFolder,
    hooks: profile.hooks,
    homeFiles: profile.files,
    callsServer: true,
    run: (task) => new AcpAgent(task, launch),
  };
}
