/**
 * A random sequence of operations against the store and against a plain model
 * in memory: answers, counters and counts agree at every step. [case 45]
 */
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  drift,
  NOTES,
  openWindows,
  openWriter,
  type Writer,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import { deleteRecord, getRecord } from "./records.ts";
import { searchRecords } from "./search.ts";
import { sweep } from "./retention.ts";

interface ModelRecord {
  readonly key: string | null;
  readonly data: unknown;
  isDue: boolean;
}

class Model {
  readonly collections = new Map<string, ModelRecord[]>();
  readonly writes = new Map<string, number>();

  records(collection: string): ModelRecord[] {
    return this.collections.get(collection) ?? [];
  }

  /** Admits a write, or names the rule that refuses it. */
  admit(collection: string, isNew: boolean): string | undefined {
    if ((this.writes.get(collection) ?? 0) >= 60) return "rate_limited";
    const holding = [...this.collections].filter(([name, list]) =>
      name !== collection && list.length > 0
    );
    if (
      isNew && this.records(collection).length === 0 && holding.length >= 25
    ) {
      return "collection_cap";
    }
    return undefined;
  }

  count(collection: string): void {
    this.writes.set(collection, (this.writes.get(collection) ?? 0) + 1);
  }
}

interface World {
  readonly db: Db;
  readonly writers: readonly Writer[];
  readonly model: Model;
}

type Step = (world: World) => Promise<void>;

const collection = fc.integer({ min: 0, max: 27 }).map((n) => `c${n}`);
const busy = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("c0", "c1") }, {
  weight: 2,
  arbitrary: collection,
});
const key = fc.integer({ min: 0, max: 5 }).map((n) => `k${n}`);
const data = fc.record({ n: fc.integer(), tag: fc.constantFrom("a", "b") });
const writer = fc.integer({ min: 0, max: 2 });

/** Runs an operation; a refusal is its code. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    const value = await work as { readonly outcome?: string };
    return value.outcome ?? "done";
  } catch (error) {
    if (error instanceof StoreRefusalError) return error.code;
    throw error;
  }
}

const put = fc.tuple(busy, key, data, writer, fc.boolean()).map((
  [collection, key, data, at, keeps],
): Step =>
async ({ writers, model }) => {
  const list = model.records(collection);
  const old = list.findIndex((one) => one.key === key);
  const expected = model.admit(collection, old < 0) ??
    (old < 0 ? "created" : "replaced");
  const place = keeps ? { collection } : { collection, retentionDays: 1 };
  equal(await codeOf(pick(writers, at).put(key, data, place)), expected);
  if (expected !== "created" && expected !== "replaced") return;
  model.count(collection);
  const record = { key, data, isDue: false };
  model.collections.set(
    collection,
    old < 0 ? [...list, record] : list.with(old, record),
  );
});

const append = fc.tuple(busy, data, writer).map(
  ([collection, data, at]): Step => async ({ writers, model }) => {
    const expected = model.admit(collection, true) ?? "appended";
    equal(
      await codeOf(pick(writers, at).append(data, { collection })),
      expected,
    );
    if (expected !== "appended") return;
    model.count(collection);
    model.collections.set(collection, [
      ...model.records(collection),
      { key: null, data, isDue: false },
    ]);
  },
);

const remove = fc.tuple(busy, key).map(
  ([collection, key]): Step => async ({ db, model }) => {
    const list = model.records(collection);
    const at = list.findIndex((one) => one.key === key);
    const isLimited = (model.writes.get(collection) ?? 0) >= 60;
    const expected = isLimited ? "rate_limited" : at < 0 ? "not_found" : "done";
    const address = { ...NOTES, collection };
    equal(await codeOf(deleteRecord(db, address, { key })), expected);
    if (expected !== "done") return;
    model.count(collection);
    model.collections.set(collection, list.toSpliced(at, 1));
  },
);

const find = fc.tuple(busy, key, fc.constantFrom("a", "b")).map((
  [collection, key, tag],
): Step =>
async ({ db, model }) => {
  const address = { ...NOTES, collection };
  const known = model.records(collection).find((one) => one.key === key);
  if (known === undefined) {
    equal(await codeOf(getRecord(db, address, { key })), "not_found");
  } else {
    deepEqual((await getRecord(db, address, { key })).data, known.data);
  }
  const page = await searchRecords(db, {
    ...address,
    filter: { tag },
    order: "oldest",
    limit: 100,
    offset: 0,
  });
  const matching = model.records(collection).filter((one) =>
    (one.data as { readonly tag: string }).tag === tag
  );
  deepEqual([page.total, page.stored], [
    matching.length,
    model.records(collection).length,
  ]);
  deepEqual(
    page.records.map((one) => one.data),
    matching.map((one) => one.data),
  );
});

/** A write whose transaction fails after the write: nothing may remain. */
const fail = fc.tuple(busy, data).map(
  ([collection, data]): Step => async ({ db }) => {
    const boom = new StoreRefusalError("bad_argument", "Injected");
    const code = await codeOf(db.transaction(async (tx) => {
      await tx.write(
        "select root_data_put($1, $2, null, $3::text::jsonb, 9, null, null, 10000, 25, 60, 60)",
        [NOTES.namespace, collection, JSON.stringify(data)],
      );
      throw boom;
    }));
    equal(code, "bad_argument");
  },
);

const age = fc.tuple(busy, key).map(
  ([collection, key]): Step => async ({ db, model }) => {
    await db.write(
      `update agent_root_records set expires_at = now() - interval '1 minute'
     where collection = $1 and key = $2 and expires_at is not null
     returning 1`,
      [collection, key],
    ).then((rows) => {
      if (rows.length === 0) return;
      const record = model.records(collection).find((one) => one.key === key);
      if (record !== undefined) record.isDue = true;
    });
  },
);

const sweepNow = fc.constant<Step>(async ({ db, model }) => {
  const due = [...model.collections.values()].flat().filter((one) => one.isDue);
  equal((await sweep(db)).deleted, due.length);
  for (const [name, list] of model.collections) {
    model.collections.set(name, list.filter((one) => !one.isDue));
  }
});

const nextMinute = fc.constant<Step>(async ({ db, model }) => {
  await openWindows(db);
  model.writes.clear();
});

Deno.test("[case 45] a random sequence agrees with a plain model at every step", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writers = await Promise.all([
    openWriter(db),
    openWriter(db),
    openWriter(db),
  ]);
  const step = fc.oneof(
    { weight: 12, arbitrary: put },
    { weight: 8, arbitrary: append },
    { weight: 5, arbitrary: remove },
    { weight: 4, arbitrary: find },
    { weight: 2, arbitrary: fail },
    { weight: 2, arbitrary: age },
    { weight: 1, arbitrary: sweepNow },
    { weight: 1, arbitrary: nextMinute },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 150, maxLength: 250, size: "max" }),
      async (steps) => {
        await db.write("delete from agent_root_records");
        await db.write("delete from agent_root_record_counters");
        const world = { db, writers, model: new Model() };
        for (const step of steps) {
          await step(world);
          deepEqual(await drift(db), []);
        }
      },
    ),
    { numRuns: 8 },
  );
});

function pick(writers: readonly Writer[], at: number): Writer {
  const found = writers[at];
  if (found === undefined) throw new Error("No such writer");
  return found;
}
