/**
 * What a crash may leave of sessions.
 *
 * @module
 */
import { deepEqual } from "node:assert/strict";
import type { Db } from "../../store/pg/mod.ts";

/** What no state may be, each as a statement that finds such sessions. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  "queued without a queued turn": `status = 'waiting'
    and wait_reason in ('queued', 'retrying', 'parked') and not has_queued`,
  "a queued turn, but not queued": `has_queued and not (status = 'waiting'
    and wait_reason in ('queued', 'retrying', 'parked'))`,
  "running without a lease": `status = 'running' and not is_leased`,
  "at rest with a turn under way": `status = 'needs_input' and is_leased
    and paused_by is distinct from 'elicitation'`,
  "a question open, but nobody waits": `asks and (status <> 'needs_input'
    or paused_by is distinct from 'elicitation')`,
  "archived over messages": `status = 'archived' and pending > 0`,
  "two messages in one place": `places <> messages`,
  "failed with a turn": `status = 'failed' and (has_queued or is_leased)`,
};

/** Sessions in a state that the table does not allow, by what is wrong. */
export async function forbiddenStates(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const [fault, condition] of Object.entries(FORBIDDEN)) {
    const rows = await db.read(
      `select * from (select s.id, s.status, s.wait_reason, s.paused_by,
         exists (select from turns t where t.session_id = s.id and t.phase = 'queued'
           and t.kind <> 'summary') as has_queued,
         exists (select from turns t where t.session_id = s.id
           and t.phase in ('leased', 'spawned', 'delivered')) as is_leased,
         exists (select from elicitations e where e.session_id = s.id
           and e.status = 'pending') as asks,
         (select count(*) from enqueued_messages m where m.session_id = s.id
           and m.status = 'pending') as pending,
         (select count(*) from enqueued_messages m where m.session_id = s.id
           and m.position is not null) as messages,
         (select count(distinct m.position) from enqueued_messages m
           where m.session_id = s.id) as places
       from sessions s) s where ${condition}`,
    );
    found.push(...rows.map((row) => `${fault}: ${JSON.stringify(row)}`));
  }
  return found;
}

/** Fails where a session is in a state that the table does not allow. */
export async function assertAllowed(db: Db, what: string): Promise<void> {
  deepEqual(await forbiddenStates(db), [], what);
}
