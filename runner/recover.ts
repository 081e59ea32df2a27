/**
 * What a runner does about the turns of its predecessor: their agents are
 * killed, what they said is sent, and each is ended or given back.
 *
 * @module
 */
import {
  LeaseLostError,
  type ServerClient,
  ServerRefusalError,
} from "./server/client.ts";
import { type LeftSpool, readBatch, readLeftSpools } from "./spool/spool.ts";
import type { Report } from "./turn/deps.ts";

/** What it takes. */
export interface RecoverOptions {
  /** Where the spools lie. */
  readonly folder: string;
  /** The server. */
  readonly client: ServerClient;
  /** Told what happens. */
  readonly report: Report;
}

/** Settles every turn that was left. What cannot be sent is left once more. */
export async function settleLeftTurns(
  { folder, client, report }: RecoverOptions,
): Promise<void> {
  for (const left of await readLeftSpools(folder)) {
    const { turn_id } = left.header;
    try {
      const next = await settle(left, client);
      report("turn_recovered", { turn: turn_id, next });
    } catch (error) {
      const isOver = error instanceof LeaseLostError ||
        error instanceof ServerRefusalError;
      report("turn_not_recovered", { turn: turn_id, reason: String(error) });
      if (!isOver) continue;
    }
    await Deno.remove(left.path).catch(() => {});
  }
}

async function settle(left: LeftSpool, client: ServerClient): Promise<string> {
  const { turn_id, lease_no } = left.header;
  let offset = 0;
  for (;;) {
    const { events, next } = await readBatch(left.path, offset);
    const [first] = events;
    if (first !== undefined) {
      await client.events(turn_id, {
        lease_no,
        first_seq: first.seq,
        events,
      });
    }
    if (next === offset) break;
    offset = next;
  }
  const answer = left.end === undefined
    ? await client.release(turn_id, {
      lease_no,
      detail: "The runner was ended in the middle of the turn",
    })
    : await client.end(turn_id, left.end);
  return answer.next;
}
