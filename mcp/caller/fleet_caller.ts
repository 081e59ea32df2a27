/**
 * Who calls, as the rules of the fleet know callers.
 *
 * @module
 */
import type { FleetCaller } from "../../fleet/mod.ts";
import type { Connection } from "./connection.ts";

/** The caller behind a connection. Only a token confines: stdio is trusted. */
export function fleetCallerOf(
  { sessionId, isProven, confinedTo, allowedAgentRoots }: Connection,
): FleetCaller {
  return {
    sessionId,
    isConfined: isProven && confinedTo !== undefined,
    fence: allowedAgentRoots,
  };
}
