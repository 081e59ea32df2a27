/**
 * What `doctor` says of the fleet: runners, lanes of jobs, turns, the ledger.
 *
 * @module
 */
import { isSeen, readFleetHealth, readSpotPolicy } from "../../../fleet/mod.ts";
import { pricesOf, type Services } from "../../../mcp/mod.ts";
import type { Config } from "../../settings/config.ts";
import type { Finding } from "./finding.ts";

/** Checks it. */
export async function checkFleet(
  _config: Config,
  services: Services,
): Promise<Finding[]> {
  const { runners = [], agents, lanes, unreadable, concerns } =
    await readFleetHealth(services);
  const { decision } = await readSpotPolicy(services);
  const seen = runners.filter(isSeen).length;
  const waiting = lanes?.lanes.reduce((sum, { ready }) => sum + ready, 0);
  const facts = [
    runners.length === 0
      ? "no runner is registered, so no session runs by itself: deno task runner register"
      : `${seen} of ${runners.length} runners are here`,
    ...(agents === undefined
      ? []
      : [`${agents.inFlight} turns under way, ${agents.ready} ready`]),
    ...(waiting === undefined ? [] : [`${waiting} jobs ready`]),
    `spot sessions ${
      decision.isAllowed ? "pass" : "are held"
    } (${decision.reason})`,
  ];
  return [
    { check: "fleet", verdict: "ok", detail: facts.join(", ") },
    ...unreadable.map((part): Finding => ({
      check: "fleet",
      verdict: "wrong",
      detail: `could not be read: ${part}`,
    })),
    ...concerns.map((detail): Finding => ({
      check: "fleet",
      verdict: "warning",
      detail,
    })),
    ...await priceFindings(services),
  ];
}

/** A price table of the operator's own that cannot be used. */
async function priceFindings(services: Services): Promise<Finding[]> {
  const { problem } = await pricesOf(services);
  return problem === undefined
    ? []
    : [{ check: "prices", verdict: "warning", detail: problem }];
}
