/**
 * Compares what is stored at the end with what the model allows.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import { drift } from "../support/root_data.ts";
import type { Model, Place } from "./model.ts";
import { FULL_RECORDS, nameOf } from "./worker.ts";

/** What was found; empty lists are good. */
export interface Verdict {
  /** Acknowledged, and not there or not as acknowledged. */
  readonly lost: readonly string[];
  /** There more than once. */
  readonly duplicated: readonly string[];
  /** There although nobody may have written it. */
  readonly unexplained: readonly string[];
  /** Beyond a cap: records, collections, bytes, writes. */
  readonly beyondCaps: readonly string[];
  /** Counters that do not say what is stored. */
  readonly drift: readonly string[];
}

interface Row extends Record<string, unknown> {
  readonly namespace: string;
  readonly collection: string;
  readonly key: string | null;
  readonly worker: number;
  readonly n: number;
}

/** Judges the state of the database, once nothing is under way. */
export async function judge(db: Db, model: Model): Promise<Verdict> {
  const rows = await db.read<Row>(
    `select namespace, collection, key, (data->>'w')::int as worker, (data->>'n')::int as n
     from agent_root_records where data ? 'w'`,
  );
  const stored = new Map<string, number[]>();
  for (const row of rows) {
    const name = `${row.namespace}/${row.collection}/${row.key ?? `#${row.n}`}`;
    stored.set(name, [...stored.get(name) ?? [], row.n]);
  }
  const lost: string[] = [];
  const duplicated: string[] = [];
  for (const place of model.places) {
    const name = nameOf(place);
    const values = stored.get(name) ?? [];
    stored.delete(name);
    if (values.length > 1) {
      duplicated.push(
        `${name}: ${values.join()}; ${place.history.slice(-5).join("; ")}`,
      );
    }
    const value = values[0] ?? null;
    if (!place.may.includes(value)) lost.push(explain(place, value));
  }
  return {
    lost,
    duplicated,
    unexplained: [...stored.keys()],
    beyondCaps: [...await beyondCaps(db), ...model.rateViolations()],
    drift: (await drift(db)).map((one) => JSON.stringify(one)),
  };
}

function explain(place: Place, value: number | null): string {
  return `${nameOf(place)}: is ${value}, and may be ${
    place.may.map(String).join(" or ")
  }; ${place.history.slice(-5).join("; ")}`;
}

/** Caps that do not hold at this moment. */
export async function beyondCaps(db: Db): Promise<string[]> {
  const found = await db.read<{ what: string }>(
    `select format('%s/%s holds %s records', namespace, collection, count(*)) as what
       from agent_root_records group by namespace, collection having count(*) > 10000
     union all
     select format('%s holds %s collections', namespace, count(distinct collection))
       from agent_root_records group by namespace having count(distinct collection) > 25
     union all
     select format('%s/%s holds data of %s bytes', namespace, collection, data_bytes)
       from agent_root_records where data_bytes > 32768
     union all
     select format('%s/%s took %s writes in a window', namespace, collection, window_writes)
       from agent_root_record_counters where window_writes > 60`,
  );
  return found.map(({ what }) => what);
}

/** Records that stood at the start and that nobody touches. */
export async function untouched(db: Db): Promise<string[]> {
  const rows = await db.read<{ namespace: string; n: number }>(
    `select namespace, count(*)::int as n from agent_root_records
     where collection = 'full' and not data ? 'w' group by namespace`,
  );
  return rows.filter(({ n }) => n !== FULL_RECORDS)
    .map(({ namespace, n }) =>
      `${namespace}/full: ${n} of ${FULL_RECORDS} are left`
    );
}
