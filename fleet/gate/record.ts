/**
 * The one way on which a decision comes into the ledger, whoever records it.
 *
 * The writer is who calls, never what an entry says; feedback is taken out.
 *
 * @module
 */
import { assertStorable } from "../../store/pg/mod.ts";
import {
  type GateDecision,
  insertDecision,
  type RecordedVia,
} from "../../store/gate/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { type Entry, promotedFields } from "./entry.ts";
import { gateOf, surfaceOf } from "./names.ts";
import { withoutFeedback } from "./scrub.ts";

/** A decision as a gate hands it in. */
export interface DecisionRequest {
  /** The gate, by name or alias. */
  readonly gate: string;
  /** What it was made about: an agent root, a repository. */
  readonly surface: string;
  /** The decision as the gate writes it, at most 512 KB. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The way on which it comes in. */
  readonly recordedVia: RecordedVia;
  /** The session that the connection names. */
  readonly writingSessionId: number | null;
}

/** A recorded decision. */
export interface RecordedDecision {
  /** As it stands in the ledger. */
  readonly decision: GateDecision;
  /** Members called `human_feedback` that were taken out of the entry. */
  readonly removedFeedback: number;
}

const MAX_PAYLOAD_BYTES = 512 * 1024;

/**
 * Records a decision.
 *
 * @throws {FleetRefusalError} A rule says no; nothing was recorded.
 * @throws {StoreRefusalError} The entry holds what the database cannot hold.
 */
export async function recordDecision(
  { store }: Pick<Fleet, "store">,
  request: DecisionRequest,
): Promise<RecordedDecision> {
  const gate = gateOf(request.gate);
  assertStorable(request.surface, "the surface");
  const surface = surfaceOf(request.surface);
  assertSize(request.entry);
  assertStorable(request.entry, "the entry");
  const { value: entry, removed } = withoutFeedback(request.entry);
  const decision = await insertDecision(await store.db(), {
    ...promotedFields(gate, entry),
    gate,
    surface,
    writingSessionId: request.writingSessionId,
    recordedVia: request.recordedVia,
    payload: JSON.stringify(entry),
  });
  return { decision, removedFeedback: removed };
}

/** Before anything walks it: a walk costs as much as there is. */
function assertSize(entry: Entry): void {
  const { length } = new TextEncoder().encode(JSON.stringify(entry));
  if (length <= MAX_PAYLOAD_BYTES) return;
  throw new FleetRefusalError(
    "data_too_large",
    `An entry is JSON of 512 KB at most; this has ${length} bytes, and the limit is ${MAX_PAYLOAD_BYTES}. Nothing was recorded`,
  );
}
