/**
 * What an import would do, judged without a write or a lock: what is stored is
 * read as it is now, and what earlier lines would have made of it is remembered.
 *
 * The rules are those of `root_data_put` (migration 0007), which a test holds
 * them against. Memory is bounded by the caps: a line is only remembered where
 * its collection has room for it.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import {
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_RECORDS_PER_COLLECTION,
} from "../root_data/limits.ts";
import type { OutcomeRow } from "../root_data/outcome.ts";
import type { CollectionAddress } from "../root_data/records.ts";
import type { ImportRecord } from "./import_line.ts";

/** A record to import. */
export interface ImportItem {
  /** The record. */
  readonly record: ImportRecord;
  /** Which of equal records without a key it is: 1, 2, … */
  readonly copies: number;
}

/** Records of one collection. */
export interface ImportGroup extends CollectionAddress {
  /** In the order of their lines. */
  readonly items: readonly ImportItem[];
}

/** The items as the database takes them. */
export function itemsJson(items: readonly ImportItem[]): string {
  return `[${items.map(itemJson).join(",")}]`;
}

function itemJson({ record, copies }: ImportItem): string {
  const { key, createdAt, updatedAt, expiresAt, serialized } = record;
  const rest = JSON.stringify({
    key,
    bytes: serialized.bytes,
    created_at: createdAt,
    updated_at: updatedAt,
    expires_at: expiresAt,
    copies,
  });
  return `{"data":${serialized.json},${rest.slice(1)}`;
}

/** What tells two versions of a record apart. */
interface Version {
  /** Digest of the data. */
  readonly data: string;
  readonly created: string | null;
  readonly updated: string | null;
  readonly expires: string | null;
}

interface JudgedRow extends Row {
  readonly line: Version;
  readonly held: Version | null;
  readonly copies: number;
}

/** A version whose times are the import's own is the latest. */
const LATEST = "9999-12-31T23:59:59.999999Z";

const iso = (time: string) =>
  `to_char((${time}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const JUDGE_STATEMENT = `
  select
    jsonb_build_object('data', md5((item->'data')::text), 'created', ${
  iso("created")
},
      'updated', ${iso("updated")}, 'expires', ${iso("expires")}) as line,
    case when r.id is not null then
      jsonb_build_object('data', md5(r.data::text), 'created', ${
  iso("r.created_at")
},
        'updated', ${iso("r.updated_at")}, 'expires', ${iso("r.expires_at")})
    end as held,
    case when item->>'key' is null then (
      select count(*)::int from (
        select from agent_root_records a
        where a.namespace = $1 and a.collection = $2 and a.created_at = created
          and a.key is null and a.data = item->'data'
        order by a.id limit (item->>'copies')::int) same)
    else 0 end as copies
  from jsonb_array_elements($3::text::jsonb) with ordinality i (item, n)
  cross join lateral (select
    coalesce(item->>'created_at', item->>'updated_at')::timestamptz as created,
    coalesce(item->>'updated_at', item->>'created_at')::timestamptz as updated,
    (item->>'expires_at')::timestamptz as expires) times
  left join agent_root_records r
    on r.namespace = $1 and r.collection = $2 and r.key = item->>'key'
  order by n`;

/** Judges the groups of one import, one after the other. */
export class ImportPlan {
  readonly #db: Queryable;
  readonly #isOverwrite: boolean;
  /** Records by namespace and collection. */
  readonly #counts = new Map<string, Map<string, number>>();
  /** What earlier lines would have stored, by address and key. */
  readonly #written = new Map<string, Version>();
  /** How many without a key, by address, creation time and data. */
  readonly #appended = new Map<string, number>();

  constructor(db: Queryable, isOverwrite: boolean) {
    this.#db = db;
    this.#isOverwrite = isOverwrite;
  }

  /** What would become of each record. */
  async judge(group: ImportGroup): Promise<OutcomeRow[]> {
    const { namespace, collection, items } = group;
    const counts = await this.#countsOf(namespace);
    const rows = await this.#db.read<JudgedRow>(JUDGE_STATEMENT, [
      namespace,
      collection,
      itemsJson(items),
    ]);
    return rows.map((row, at) => {
      const item = items[at];
      if (item === undefined) throw new RangeError("More answers than lines");
      const { outcome, holding } = this.#outcomeOf(item, row, counts);
      const records = counts.get(collection) ?? 0;
      return { outcome, records_count: records, holding } as OutcomeRow;
    });
  }

  #outcomeOf(
    { record, copies }: ImportItem,
    { line, held, copies: stored }: JudgedRow,
    counts: Map<string, number>,
  ): { readonly outcome: string; readonly holding: string[] | null } {
    const address = `${record.namespace}/${record.collection}`;
    const done = (outcome: string) => ({ outcome, holding: null });
    const hasTimes = line.updated !== null;
    if (record.key === null) {
      const place = `${address}/${line.created}/${line.data}`;
      const before = this.#appended.get(place) ?? 0;
      if (hasTimes && stored + before >= copies) return done("unchanged");
      const refusal = roomFor(record.collection, counts);
      if (refusal !== undefined) return refusal;
      if (hasTimes) this.#appended.set(place, before + 1);
      return done("appended");
    }
    const place = `${address}/${record.key}`;
    const now = hasTimes ? line : { ...line, created: LATEST, updated: LATEST };
    const before = this.#written.get(place) ?? held;
    if (before === null) {
      const refusal = roomFor(record.collection, counts);
      if (refusal !== undefined) return refusal;
      this.#written.set(place, now);
      return done("created");
    }
    const isSame = before.data === line.data &&
      before.expires === line.expires &&
      (!hasTimes ||
        (before.created === line.created && before.updated === line.updated));
    if (isSame) return done("unchanged");
    const isNewer = !hasTimes || (before.updated ?? "") > (line.updated ?? "");
    if (isNewer && !this.#isOverwrite) return done("kept_newer");
    this.#written.set(place, now);
    return done("replaced");
  }

  async #countsOf(namespace: string): Promise<Map<string, number>> {
    const known = this.#counts.get(namespace);
    if (known !== undefined) return known;
    const rows = await this.#db.read<{ collection: string; n: number }>(
      `select collection, records_count as n
       from agent_root_record_counters where namespace = $1`,
      [namespace],
    );
    const counts = new Map(rows.map(({ collection, n }) => [collection, n]));
    this.#counts.set(namespace, counts);
    return counts;
  }
}

/** Takes a place for a new record; says so where there is none. */
function roomFor(collection: string, counts: Map<string, number>) {
  const records = counts.get(collection) ?? 0;
  if (records >= MAX_RECORDS_PER_COLLECTION) {
    return { outcome: "row_cap", holding: null };
  }
  const holding = [...counts]
    .filter(([name, count]) => name !== collection && count > 0)
    .map(([name]) => name).sort();
  if (records === 0 && holding.length >= MAX_COLLECTIONS_PER_NAMESPACE) {
    return { outcome: "collection_cap", holding };
  }
  counts.set(collection, records + 1);
  return undefined;
}
