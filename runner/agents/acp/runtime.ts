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
    callsServer: true,
    run: (task) => new AcpAgent(task, launch),
  };
}

/** Writes the files that an agent needs in its home, where there are none. */
export async function prepareHome(
  { profile, home }: Pick<AcpLaunch, "profile" | "home">,
): Promise<void> {
  for (const { path, text } of profile.files) {
    const whole = `${home}/${path}`;
    await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), {
      recursive: true,
      mode: 0o700,
    });
    await Deno.writeTextFile(whole, text, { createNew: true, mode: 0o600 })
      .catch((error: unknown) => {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      });
  }
}
