/**
 * Looks at the runner of this machine: what it can start, who is logged in, and
 * what agents may do. Logins by variables are the runner's alone to see: servers
 * have no right to read them.
 *
 * @module
 */
import { findAgents } from "../../../runner/mod.ts";
import { profilesOf } from "../../runner/agent_profiles.ts";
import { wantsRunner } from "../../runner/runner_child.ts";
import { agentUser, runnerFolder } from "../../runner/runner_place.ts";
import type { Config } from "../../settings/config.ts";
import { allVariables } from "../../settings/environment.ts";
import type { Finding } from "./finding.ts";

/** Checks the runner, and each agent that it finds. */
export async function checkRunner(config: Config): Promise<Finding[]> {
  const folder = runnerFolder(config.home);
  const agents = await findAgents(await profilesOf(config), {
    agents: `${folder}/agents`,
    home: `${folder}/home`,
    env: allVariables(),
  });
  const isWanted = await wantsRunner(undefined, config);
  return [
    {
      check: "runner",
      verdict: "ok",
      detail: isWanted
        ? `start runs one; agents can do what ${
          agentUser() === undefined ? "this user" : "a user of their own"
        } can`
        : "start runs none: nobody asked for agents (deno task runner install NAME, or RUNNER_COMMAND)",
    },
    ...agents.map(({ profile, report }): Finding => {
      const isLoggedIn = report.login.state !== "missing";
      return {
        check: `agent ${profile.name}`,
        verdict: isLoggedIn ? "ok" : "warning",
        detail: isLoggedIn
          ? `${report.version ?? "on PATH"}, a login was found`
          : `${report.version ?? "on PATH"}, no login in its home: ${
            profile.loginVariables.length > 0
              ? `the runner needs ${profile.loginVariables.join(" or ")}, or `
              : ""
          }log in with HOME=${folder}/home`,
      };
    }),
  ];
}
