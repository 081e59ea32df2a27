/**
 * Status summaries: turns beside a session's own, whose words become its
 * summary and stay out of its transcript.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import type { Pick as Picked, PickOptions } from "./pick.ts";
import type { NewEvent } from "./events.ts";
import type { TurnRow } from "./turn_row.ts";

/** Seconds after which nobody waits for a summary any more. */
export const SUMMARY_PATIENCE_SECONDS = 15 * 60;

const MAX_SAID_CHARACTERS = 50_000;
const MAX_SUMMARY_CHARACTERS = 5_000;
const MAX_EVENTS = 200;
const MAX_EVENT_CHARACTERS = 1_000;

/** The summary that was asked for first, of what a runner can start; locked. */
export async function pickSummary(
  tx: Transaction,
  { runtimes, standardRuntime, account }: Pick<
    PickOptions,
    "runtimes" | "standardRuntime" | "account"
  >,
): Promise<Omit<Picked, "isSpot"> | undefined> {
  const [row] = await tx.write<Row>(
    `select t.id as turn_id, s.id from turns t join sessions s on s.id = t.session_id
     where t.phase = 'queued' and t.kind = 'summary'
       and t.queued_at > now() - $4 * interval '1 second'
       and coalesce(s.agent_runtime, $2) in (select jsonb_array_elements_text($1::text::jsonb))
       and not exists (select from logins l where l.account = $3
         and l.runtime = coalesce(s.agent_runtime, $2) and l.rejected_until > now())
     order by t.queued_at, t.id limit 1 for no key update of s skip locked`,
    [
      JSON.stringify(runtimes),
      standardRuntime,
      account,
      SUMMARY_PATIENCE_SECONDS,
    ],
  );
  return row === undefined
    ? undefined
    : { turnId: Number(row.turn_id), sessionId: Number(row.id) };
}

/** The last of a session's transcript that can be read, oldest first. */
export async function readLastEvents(
  db: Queryable,
  sessionId: number,
): Promise<readonly { readonly kind: string; readonly text: string }[]> {
  const rows = await db.read<Row>(
    `select kind, left(text, $3) as text from turn_events
     where session_id = $1 and text is not null
     order by turn_id desc, seq desc limit $2`,
    [sessionId, MAX_EVENTS, MAX_EVENT_CHARACTERS],
  );
  return rows.reverse().map(({ kind, text }) => ({
    kind: String(kind),
    text: String(text),
  }));
}

/**
 * Takes events of a summary's turn; answers with the number that is expected
 * next. What its agent says is kept with the turn. The turn is locked.
 */
export async function noteSaid(
  tx: Transaction,
  turn: Pick<TurnRow, "id" | "nextSeq">,
  { events, between }: {
    readonly events: readonly NewEvent[];
    /** What stands between two texts: a command's are lines, others' are parts. */
    readonly between: string;
  },
): Promise<number> {
  const fresh = events.filter(({ seq }) => seq >= turn.nextSeq);
  const [first] = fresh;
  if (first === undefined || first.seq > turn.nextSeq) return turn.nextSeq;
  const next = turn.nextSeq + fresh.length;
  const said = fresh.filter(({ kind }) => kind === "text")
    .map(({ text }) => `${text ?? ""}${between}`).join("");
  await tx.write(
    `update turns set next_seq = $2, receipt = jsonb_build_object('said',
       left(coalesce(receipt ->> 'said', '') || $3, ${MAX_SAID_CHARACTERS}))
     where id = $1`,
    [turn.id, next, said],
  );
  return next;
}

/** Keeps a summary, or why there is none, unless another one was asked for. */
export async function writeSummary(
  tx: Transaction,
  turn: Pick<TurnRow, "id" | "sessionId">,
  made: { readonly text: string } | { readonly error: string },
): Promise<void> {
  const text = "text" in made ? made.text : null;
  await tx.write(
    `update session_status_summaries set
       state = case when $3::text is null then 'failed' else 'ready' end,
       summary = coalesce(left($3, ${MAX_SUMMARY_CHARACTERS}), summary),
       generated_at = case when $3 is null then generated_at else now() end,
       transcript_event_count = case when $3 is null then transcript_event_count
         else (select coalesce(sum(next_seq - 1), 0) from turns
           where session_id = $1 and kind <> 'summary') end,
       error = left($4, 500), updated_at = now()
     where session_id = $1 and turn_id = $2`,
    [turn.sessionId, turn.id, text, "error" in made ? made.error : null],
  );
}
