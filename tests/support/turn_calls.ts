/**
 * What a runner sends, for tests that are one.
 *
 * @module
 */
import type {
  EndRequest,
  LeasedTurn,
  LeaseRequest,
} from "../../fleet/turns/protocol.ts";
import type { TurnBench } from "./turns.ts";

/** A request for a turn that waits for none. */
export function leaseRequest(given: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    request_id: crypto.randomUUID() + crypto.randomUUID(),
    slots: 1,
    runtimes: ["command", "claude_code"],
    turns_here: [],
    wait_ms: 0,
    ...given,
  };
}

/** The end of a turn without events. */
export function endRequest(given: Partial<EndRequest> = {}): EndRequest {
  return {
    lease_no: 1,
    final_seq: 0,
    outcome: "done",
    class: null,
    detail: "",
    parked_ms: null,
    conversation_id: null,
    usage: [],
    git: null,
    killed_leftovers: 0,
    commands: [],
    limits: null,
    ...given,
  };
}

/** Lets a turn have its end, its message delivered. */
export async function closeTurn(
  { client }: Pick<TurnBench, "client">,
  turn: LeasedTurn | null,
  given: Partial<EndRequest> = {},
): Promise<void> {
  if (turn === null) throw new Error("No turn");
  const { turn_id, lease_no } = turn;
  const kinds = ["spawned", "delivered"] as const;
  await client.events(turn_id, {
    lease_no,
    first_seq: 1,
    events: kinds.map((kind, at) => ({
      seq: at + 1,
      after_ms: 0,
      kind,
      payload: {},
    })),
  });
  await client.end(
    turn_id,
    endRequest({ lease_no, final_seq: kinds.length, ...given }),
  );
}
