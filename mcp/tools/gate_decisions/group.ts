/**
 * Group `gate_decisions`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const gateDecisionsGroup: ToolGroup = {
  name: "gate_decisions",
  kind: "opt_in",
  isSessionDefault: false,
  summary: "The ledger of gate decisions",
  tools: [],
};
