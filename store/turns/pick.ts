/**
 * Which turn a runner gets: due, of a runtime that it can start, at home there,
 * its login not at a limit; priority before spot, then precedence, then age.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** What a runner can take. */
export interface PickOptions {
  /** The runner. */
  readonly runnerId: number;
  /** What it can start. */
  readonly runtimes: readonly string[];
  /** What sessions run that name none. */
  readonly standardRuntime: string;
  /** Seconds without a call after which a home counts as lost. */
  readonly homeLostSeconds: number;
}

/** A turn that was chosen; its session is locked. */
export interface Pick {
  /** The turn. */
  readonly turnId: number;
  /** Its session. */
  readonly sessionId: number;
}

/** Chooses a turn and locks its session; those that others hold are left. */
export async function pickTurn(
  tx: Transaction,
  options: PickOptions,
): Promise<Pick | undefined> {
  const [row] = await tx.write<{ id: string; session_id: string }>(
    `select t.id, t.session_id from turns t join sessions s on s.id = t.session_id
     where t.phase = 'queued' and (t.not_before is null or t.not_before <= now())
       and s.driven_by = 'runner' and s.status = 'waiting'
       and coalesce(s.agent_runtime, $3) = any(
         array(select jsonb_array_elements_text($2::text::jsonb)))
       and (s.home_runner_id is null or s.home_runner_id = $1 or exists (
         select from runners r where r.id = s.home_runner_id and (
           r.revoked_at is not null
           or coalesce(r.seen_at, '-infinity') < now() - $4 * interval '1 second')))
       and not exists (select from logins l
         where l.runtime = coalesce(s.agent_runtime, $3)
           and l.account = 'runner-' || $1 and l.rejected_until > now())
     order by (coalesce(s.scheduling_class,
         (select genesis_class_overrides ->> s.genesis from app_settings),
         case when s.genesis in ('web_ui', 'slack', 'system_event', 'unknown')
           then 'priority' else 'spot' end) = 'priority') desc,
       s.precedence desc, t.queued_at, t.id
     limit 1 for update of s skip locked`,
    [
      options.runnerId,
      JSON.stringify(options.runtimes),
      options.standardRuntime,
      options.homeLostSeconds,
    ],
  );
  return row === undefined ? undefined : {
    turnId: Number(row.id),
    sessionId: Number(row.session_id),
  };
}
