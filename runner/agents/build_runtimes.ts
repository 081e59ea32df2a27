/**
 * What a runner offers: the agents that were found, and `command`.
 *
 * @module
 */
import type { RuntimeReport } from "../../fleet/turns/protocol.ts";
import { acpRuntime } from "./acp/runtime.ts";
import type { Runtime } from "./agent.ts";
import { commandRuntime } from "./command.ts";
import type { FoundAgent } from "./find_agents.ts";

/** What is offered, and what is said of it. */
export interface Offer {
  /** Things that carry out turns. */
  readonly runtimes: readonly Runtime[];
  /** One each. */
  readonly reports: readonly RuntimeReport[];
}

/** How the offer is made up. */
export interface OfferOptions {
  /** Agents that were found. */
  readonly agents: readonly FoundAgent[];
  /** The runner's own command, `RUNNER_COMMAND`. */
  readonly command: readonly string[] | undefined;
  /** Whether catalogs of addresses may make it execute things. */
  readonly trustsCatalogs: boolean;
}

/** Makes the offer. */
export function buildRuntimes(options: OfferOptions): Offer {
  const { agents } = options;
  const command: RuntimeReport = {
    name: "command",
    version: null,
    models: [],
    login: { account: null, state: "unknown" },
  };
  return {
    runtimes: [
      commandRuntime(options.command, options),
      ...agents.map(({ profile, argv }) => acpRuntime({ profile, argv })),
    ],
    reports: [command, ...agents.map(({ report }) => report)],
  };
}
