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
import { type LeftSpool, readBatch } from "./spool/spool.ts";
import type { Report } from "./turn/deps.ts";

/** What it takes. */
export interface RecoverOptions {
  /** The server. */
  readonly client: ServerClient;
  /** Told what happens. */
  readonly report: Report;
}

/**
 * Settles turns that were left, and removes their spools. Returns those that
 * the server had no time for: they are worth another try.
 */
export async function settleLeftTurns(
  spools: readonly LeftSpool[],
  { client, report }: RecoverOptions,
): Promise<readonly LeftSpool[]> {
  const unsettled: LeftSpool[] = [];
  for (const left of spools) {
    const { turn_id } = left.header;
    try {
      const next = await settle(left, client);
      report("turn_recovered", { turn: turn_id, next });
    } catch (error) {
      const isOver = error instanceof LeaseLostError ||
        error instanceof ServerRefusalError;
      report("turn_not_recovered", { turn: turn_id, reason: String(error) });
      if (!isOver) {
        unsettled.push(left);
        continue;
      }
    }
    await Deno.remove(left.path).catch(() => {});
  }
  return unsettled;
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
