/**
 * Sweeping 1,000,000 expired records, beside one bare `delete` of as many.
 *
 * The sweep works in batches of 500 and keeps the counters; the bare statement
 * does neither, and holds all its locks until the end.
 *
 * @module
 */
import { sweep } from "../../store/root_data/retention.ts";
import type { Db } from "../../store/pg/mod.ts";
import { toContest } from "./alternate.ts";
import type { Benchmark } from "./benchmark.ts";
import { fill } from "./stage.ts";

const OURS = "sweep";
const BARE = "one delete statement";
/** As many as a collection may hold. */
const EACH = 10_000;

/** The benchmark. */
export const sweeping: Benchmark = {
  name: "sweep",
  summary: "1,000,000 expired records swept, against one delete",
  async run(bench) {
    const stage = await bench.stage();
    const rounds = bench.pick(4, 1);
    const records = bench.pick(250_000, 2_000);
    const times = new Map<string, number[][]>([[OURS, []], [BARE, []]]);
    for (let round = 0; round < rounds; round++) {
      for (const label of times.keys()) {
        bench.note(`round ${round + 1} of ${rounds}: ${label}`);
        await fillExpired(stage.db, records);
        const began = performance.now();
        const deleted = label === OURS
          ? await sweepAll(stage.db)
          : await deleteAll(stage.db);
        times.get(label)?.push([(performance.now() - began) / deleted]);
        if (deleted !== records) throw new Error(`${deleted} were deleted`);
      }
    }
    const contest = toContest(times);
    return [{
      title: `${rounds * records} expired records; times and rates of one`,
      rows: contest.rows.map((row) => ({ ...row, count: rounds * records })),
      figures: [{
        label: "the sweep over one delete statement",
        value: contest.ratio(OURS, BARE),
        unit: "×",
      }],
    }];
  },
};

async function fillExpired(db: Db, records: number): Promise<void> {
  for (let left = records; left > 0; left -= EACH) {
    await fill(db, `sweep-${left}`, "c0", Math.min(left, EACH));
  }
  await db.write(
    `update agent_root_records set expires_at = now() - interval '1 day'
     where namespace like 'sweep-%'`,
  );
  await db.write("vacuum analyze agent_root_records");
}

/** A sweep stops after a minute; the hourly one goes on an hour later. */
async function sweepAll(db: Db): Promise<number> {
  let deleted = 0;
  for (;;) {
    const report = await sweep(db);
    deleted += report.deleted;
    if (!report.isTimedOut) return deleted;
  }
}

async function deleteAll(db: Db): Promise<number> {
  const [row] = await db.write<{ count: number }>(
    `with gone as (
       delete from agent_root_records where expires_at <= now() returning 1
     ) select count(*)::int as count from gone`,
  );
  return row?.count ?? 0;
}
