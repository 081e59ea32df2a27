/**
 * Vectors of passages, compared exactly within one root.
 *
 * Their signs tell which passages may be near: of roots that have no more than
 * the pool that is all of them. Those are measured by the database where it has
 * pgvector, else here.
 *
 * Specification: docs/spec/recall.md section 8.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";
import type {
  EmbeddedEvent,
  LogEvent,
  LogNear,
  LogNearest,
  LogNearRequest,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { rootOf, toWireId } from "./keys.ts";
import { filterParams } from "./reads.ts";
import { COLUMNS, toEvent, toTime } from "./rows.ts";

/** Events that one look for those without vectors passes at most. */
const LOOK_EVENTS = 5_000;
/** Passages that are measured at most. */
const MAX_POOL = 2_000;
/** Numbers that are measured at most, in this process. */
const MAX_NUMBERS = 800_000;
/** Numbers after which others have their turn. */
const STRETCH_NUMBERS = 100_000;
/** Passages read for one event that is wanted: it may have several. */
const SPARE = 4;

/** Makes a model the one that passages get vectors of. */
export async function openModel(db: Db, model: string): Promise<void> {
  await db.write("select cortex_open_model($1)", [model]);
}

/** Looks for events without vectors of the model; whether more may be left. */
export async function findUnembedded(db: Db, model: string): Promise<boolean> {
  const [row] = await db.write<Row>(
    "select cortex_find_unembedded($1, $2::int) as is_left",
    [model, LOOK_EVENTS],
  );
  return row?.is_left === true;
}

/** Takes some events that wait for vectors. */
export async function takeUnembedded(
  db: Db,
  model: string,
  limit: number,
): Promise<readonly LogEvent[]> {
  const rows = await db.write<Row>(
    `select ${COLUMNS}, e.content from cortex_take_unembedded($1, $2::int) t
     join cortex_events e on e.root = t.root and e.seq = t.seq
     order by e.root, e.seq`,
    [model, limit],
  );
  return rows.map(toEvent);
}

/** Gives back what was taken. */
export async function giveBack(
  db: Db,
  events: readonly Pick<LogEvent, "scope" | "offset">[],
): Promise<void> {
  if (events.length === 0) return;
  await db.write(
    `update cortex_unembedded u set taken_until = '-infinity'
     from unnest($1::text[], $2::text[]::bigint[]) as t(root, seq)
     where u.root = t.root and u.seq = t.seq`,
    [
      events.map(({ scope }) => rootOf(scope)),
      events.map(({ offset }) => String(offset)),
    ],
  );
}

/** Stores vectors of events. */
export async function putVectors(
  db: Db,
  model: string,
  events: readonly EmbeddedEvent[],
): Promise<void> {
  const items: string[] = [];
  for (const { event, vectors } of events) {
    const rows: string[] = [];
    for (const { part, numbers } of vectors) {
      rows.push(
        JSON.stringify({
          part,
          signs: signsOf(numbers),
          vector: literalOf(numbers),
        }),
      );
      if (rows.length % 20 === 0) await setImmediate();
    }
    const head = { root: rootOf(event.scope), seq: event.offset };
    items.push(
      `${JSON.stringify(head).slice(0, -1)},"vectors":[${rows.join(",")}]}`,
    );
  }
  if (items.length === 0) return;
  await db.write("select cortex_put_vectors($1, $2::text::jsonb)", [
    model,
    `[${items.join(",")}]`,
  ]);
}

/** How many events wait for vectors, up to a limit. */
export async function countUnembedded(db: Db, limit: number): Promise<number> {
  const [row] = await db.read<Row>(
    `select count(*)::int as count from (
       select 1 from cortex_unembedded limit $1::int) u`,
    [limit],
  );
  return Number(row?.count);
}

/** The events with the nearest passages. */
export async function readNearest(
  db: Db,
  { scopes, filter, model, numbers, limit }: LogNearRequest,
): Promise<LogNearest> {
  const root = rootOf(scopes[0] ?? "");
  const isFiltered = filter.labels.length > 0 || filter.actors.length > 0 ||
    [filter.modality, filter.since, filter.until, filter.recordedBy]
      .some((one) => one !== undefined);
  const pool = Math.min(MAX_POOL, Math.floor(MAX_NUMBERS / numbers.length));
  const rows = await db.read<Row>(
    `select * from cortex_near($1, $2::text[], $3, $4::text::bit varying,
       $5::text::real[], $6::int, $7::boolean, $8::text[], $9::text[], $10,
       $11::text::timestamptz, $12::text::timestamptz, $13::text::timestamptz)`,
    [
      root,
      scopes,
      model,
      signsOf(numbers),
      literalOf(numbers),
      pool,
      isFiltered,
      ...filterParams(filter),
    ],
  );
  const [first] = rows;
  if (first === undefined) {
    return { events: [], compared: 0, meanSimilarity: 0 };
  }
  const measured: Measured[] = [];
  let done = 0;
  for (const row of rows) {
    const similarity = typeof row.similarity === "number"
      ? row.similarity
      : similarityTo(numbers, String(row.vector));
    measured.push({ seq: String(row.seq), part: Number(row.part), similarity });
    done += numbers.length;
    if (done < STRETCH_NUMBERS) continue;
    done = 0;
    await setImmediate();
  }
  measured.sort((a, b) => b.similarity - a.similarity);
  return {
    events: await readFacts(db, root, measured.slice(0, limit * SPARE), limit),
    compared: Number(first.counted),
    // Half of the signs differ where nothing is alike.
    meanSimilarity: Math.cos(Math.PI * Number(first.mean) / numbers.length),
  };
}

interface Measured {
  readonly seq: string;
  readonly part: number;
  readonly similarity: number;
}

/** Each event once, at its nearest passage. */
async function readFacts(
  db: Db,
  root: string,
  measured: readonly Measured[],
  limit: number,
): Promise<readonly LogNear[]> {
  const best = [...Map.groupBy(measured, ({ seq }) => seq).values()]
    .flatMap(([nearest]) => nearest === undefined ? [] : [nearest])
    .slice(0, limit);
  const rows = await db.read<Row>(
    `select e.seq, e.id, e.observed_at, p.from_at, p.characters
     from unnest($2::text[]::bigint[], $3::text[]::int[]) as n(seq, part)
     join cortex_events e on e.root = $1 and e.seq = n.seq
     join cortex_passages p on p.root = $1 and p.seq = n.seq and p.part = n.part`,
    [root, best.map(({ seq }) => seq), best.map(({ part }) => String(part))],
  );
  const facts = new Map(rows.map((row) => [String(row.seq), row]));
  return best.flatMap(({ seq, similarity }): readonly LogNear[] => {
    const row = facts.get(seq);
    if (row === undefined) return []; // Deleted meanwhile.
    return [{
      id: toWireId("evt", row.id),
      observedAt: toTime(row.observed_at),
      from: row.from_at === null ? undefined : Number(row.from_at),
      characters: Number(row.characters),
      similarity,
    }];
  });
}

/** One bit a number: whether it is above zero. */
function signsOf(numbers: Float32Array): string {
  let signs = "";
  for (const number of numbers) signs += number > 0 ? "1" : "0";
  return signs;
}

/** As PostgreSQL writes an array. */
function literalOf(numbers: Float32Array): string {
  let text = "";
  for (const number of numbers) {
    text += `${text === "" ? "" : ","}${number.toPrecision(7)}`;
  }
  return `{${text}}`;
}

/** Bytes in front of the numbers that `array_send` writes of one dimension. */
const HEAD_BYTES = 20;
/** A number's length and value. */
const NUMBER_BYTES = 8;

/** The product of two vectors of length 1: one here, one as sent. */
function similarityTo(numbers: Float32Array, hex: string): number {
  const bytes = Uint8Array.fromHex(hex);
  const view = new DataView(bytes.buffer);
  let sum = 0;
  for (let at = 0; at < numbers.length; at++) {
    const value = view.getFloat32(HEAD_BYTES + at * NUMBER_BYTES + 4);
    sum += value * (numbers[at] ?? 0);
  }
  return sum;
}
