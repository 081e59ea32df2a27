/**
 * Compares what agents began with, and what is stored of sessions, with what
 * the model allows.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import type { Trace } from "../chaos/traced_agent.ts";
import { forbiddenStates } from "../support/allowed_states.ts";
import type { FleetModel, Told } from "./fleet_model.ts";
import { MINUTELY } from "./trigger_worker.ts";

/** What was found of sessions; empty lists are good. */
export interface FleetVerdict {
  /** Acknowledged, and no agent began with it. */
  readonly lost: readonly string[];
  /** Begun more than once. */
  readonly duplicated: readonly string[];
  /** Begun although nobody may have said it. */
  readonly unexplained: readonly string[];
  /** Not so as it was answered, or in a state that none may be in. */
  readonly wrong: readonly string[];
}

const MINUTE_MS = 60_000;

/** Judges, once nothing is under way. */
export async function judgeFleet(
  db: Db,
  fleet: FleetModel,
  traces: readonly Trace[],
): Promise<FleetVerdict> {
  await noteUnfired(db, fleet);
  const cut = await cutTokens(db);
  const runs = runsOf(traces);
  const lost: string[] = [];
  const duplicated: string[] = [];
  const wrong: string[] = [];
  for (const told of fleet.told.values()) {
    const name = nameOf(told);
    const begun = runs.get(told.token) ?? [];
    runs.delete(told.token);
    if (begun.length > 1) {
      duplicated.push(`${name}: begun by sessions ${begun.join()}`);
    }
    if (begun.length > 0 && told.must === "never") {
      wrong.push(`${name}: refused or not fired, and begun all the same`);
    }
    if (
      told.sessionId !== undefined && begun.some((id) => id !== told.sessionId)
    ) wrong.push(`${name}: begun by session ${begun.join()}`);
    const isCut = told.mayBeCut && cut.has(told.token);
    if (told.must === "once" && !told.hasEnded && !isCut) {
      lost.push(
        `${name}: ${begun.length === 0 ? "never begun" : "never ended"}`,
      );
    }
  }
  const minutes = await judgeMinutes(db, runs);
  return {
    lost: [...lost, ...minutes.lost],
    duplicated: [...duplicated, ...minutes.duplicated],
    unexplained: [...runs.keys()],
    wrong: [
      ...wrong,
      ...minutes.wrong,
      ...outOfOrder(fleet, traces),
      ...traces.filter(({ kind }) => kind === "double")
        .map(({ sessionId }) =>
          `Two agents of session ${sessionId} were alive`
        ),
      ...await wrongRows(db, fleet),
    ],
  };
}

/** Firings that came to nothing by the rules of their trigger. */
export async function noteUnfired(db: Db, fleet: FleetModel): Promise<void> {
  const rows = await db.read<{ token: string }>(
    `select substr(occurrence, length('delivery:') + 1) as token
     from trigger_occurrences
     where occurrence like 'delivery:%' and outcome like 'Not fired%'`,
  );
  for (const { token } of rows) {
    const told = fleet.told.get(token);
    if (told === undefined) continue;
    told.must = "never";
    fleet.waiting.delete(told);
  }
}

function nameOf({ token, kind, sessionId }: Told): string {
  return `${token} (${kind}${
    sessionId === undefined ? "" : `, session ${sessionId}`
  })`;
}

/** Sessions that began with a token, once for each time without a break. */
function runsOf(traces: readonly Trace[]): Map<string, number[]> {
  const runs = new Map<string, number[]>();
  const last = new Map<number, string>();
  for (const { kind, sessionId, token } of traces) {
    if (kind !== "begin") continue;
    if (last.get(sessionId) !== token) {
      runs.set(token, [...runs.get(token) ?? [], sessionId]);
    }
    last.set(sessionId, token);
  }
  return runs;
}

/** Tokens of turns that a pause ended. */
async function cutTokens(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.read<{ token: string }>(
    `select substring(prompt from '<<(\\S+) ') as token from turns
     where outcome = 'interrupted' and delivered_at is not null`,
  );
  return new Set(rows.map(({ token }) => token));
}

/**
 * What one caller said to a session is begun in that order; but what is said to
 * one that was paused goes before what the pause held.
 */
function outOfOrder(fleet: FleetModel, traces: readonly Trace[]): string[] {
  const order = new Map<string, number>();
  for (const [at, { kind, token }] of traces.entries()) {
    if (kind === "begin" && !order.has(token)) order.set(token, at);
  }
  const found: string[] = [];
  for (const { id, said } of fleet.sessions.values()) {
    const begun = said.filter(({ token, mayBeCut }) =>
      order.has(token) && !mayBeCut
    );
    const sorted = begun.toSorted((a, b) =>
      (order.get(a.token) ?? 0) - (order.get(b.token) ?? 0)
    );
    if (begun.some((told, at) => sorted[at] !== told)) {
      const names = (list: readonly Told[]) =>
        list.map(({ token }) => token).join();
      found.push(
        `Session ${id} was told ${names(begun)}, and began ${names(sorted)}`,
      );
    }
  }
  return found;
}

/** Schedules that recur: each minute once, none left out. */
async function judgeMinutes(
  db: Db,
  runs: Map<string, number[]>,
): Promise<Omit<FleetVerdict, "unexplained">> {
  const rows = await db.read<{
    missed: string;
    due: Date;
    claimed_at: Date;
    outcome: string | null;
  }>(
    `select c.configuration->>'missed' as missed, o.occurrence::timestamptz as due,
       o.claimed_at, o.outcome
     from trigger_occurrences o join trigger_conditions c on c.id = o.condition_id
     where c.configuration->>'unit' = 'minutes' order by c.id, due`,
  );
  const found = { lost: [], duplicated: [], wrong: [] } as {
    readonly [name in "lost" | "duplicated" | "wrong"]: string[];
  };
  let last: typeof rows[number] | undefined;
  for (const row of rows) {
    const at = row.due.toISOString();
    const token = `${MINUTELY}${row.missed}-${at.slice(0, 10)}-${
      at.slice(11, 16)
    }`;
    const begun = runs.get(token) ?? [];
    runs.delete(token);
    if (begun.length > 1) duplicated(token, begun);
    const isFired = !(row.outcome ?? "").startsWith("Not fired");
    if (isFired && begun.length === 0) found.lost.push(`${token}: never begun`);
    if (!isFired && begun.length > 0) {
      found.wrong.push(`${token}: "${row.outcome}", and begun all the same`);
    }
    const skipped = (last?.missed === row.missed ? last.due : row.due)
      .getTime() + MINUTE_MS;
    // What was due before a firing came about is missed, and said so.
    if (
      skipped < row.due.getTime() &&
      skipped > (last?.claimed_at ?? row.due).getTime()
    ) found.lost.push(`${token}: the minute before it never came`);
    last = row;
  }
  return found;

  function duplicated(token: string, begun: readonly number[]): void {
    found.duplicated.push(`${token}: begun by sessions ${begun.join()}`);
  }
}

/** Rows that say what cannot be so at the end. */
async function wrongRows(db: Db, fleet: FleetModel): Promise<string[]> {
  const found: string[] = [];
  for (const { id, isArchived } of fleet.sessions.values()) {
    const [row] = await db.read<{ status: string; failure_reason: string }>(
      "select status, failure_reason from sessions where id = $1",
      [id],
    );
    if (row === undefined || !fleet.statesOf(id).includes(row.status)) {
      found.push(
        `Session ${id} is ${row?.status} (${row?.failure_reason}); archived: ${isArchived}`,
      );
    }
  }
  const rows = await db.read<{ what: string }>(
    `select format('Firing %s of condition %s has no outcome', occurrence, condition_id) as what
       from trigger_occurrences where outcome is null
     union all
     select format('A job of %s has failed: %s', name, left(data::text, 300))
       from rootcellar_jobs.job where state = 'failed'
     union all
     select format('Wake %s of session %s never fired', id, wake_session_id)
       from triggers where is_wake
     union all
     select format('Session %s is %s (%s)', id, status, failure_reason)
       from sessions where driven_by = 'runner'
         and status not in ('needs_input', 'archived')`,
  );
  found.push(...rows.map(({ what }) => what));
  return [...found, ...await forbiddenStates(db)];
}
