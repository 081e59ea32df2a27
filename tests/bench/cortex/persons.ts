/**
 * Whether other persons' memories cost a person time: recall among 100,000
 * events of one, and stores of that person's, where the same database has
 * 1,000,000 events of 1,000 others, beside one where it has none.
 *
 * The two databases are on one server and asked in turns.
 *
 * @module
 */
import { PostgresEventLog } from "../../../store/event_log/event_log.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { alternate } from "../alternate.ts";
import type { Bench, Benchmark, Part } from "../benchmark.ts";
import { addPersons, multiply } from "./crowd.ts";
import {
  type Call,
  callerOf,
  QUERIES,
  recall,
  serviceOn,
  store,
} from "./events.ts";

/** The root that is asked, and the one whose events the others get. */
const PERSON = "org:bench";
const TEMPLATE = "org:template";
const SCOPE_BELOW = "/ws:main/app:conversations";
const BATCH = 1_000;
/** What other persons may cost. */
const BAR = { atMost: 1.3 } as const;
const ALONE = "alone";
const AMONG = "among others";

/** The benchmark. */
export const persons: Benchmark = {
  name: "persons",
  summary:
    "recall and stores of a person among 1,000,000 events of 1,000 others, against alone",
  isByNameOnly: true,
  async run(bench) {
    const stage = await bench.stage();
    const others = bench.pick(1_000, 3);
    const eventsOfEach = bench.pick(1_000, 20);
    const stored = bench.pick(10_000, 50);
    const copies = bench.pick(9, 1);
    const alone = await stage.openOther("person_alone");
    const among = await stage.openOther("person_among_others");
    for (const [label, db] of [[ALONE, alone], [AMONG, among]] as const) {
      bench.note(`${stored * (copies + 1)} events of a person, ${label}`);
      await storeMany(callerOf(serviceOn({ db })), PERSON, stored);
      await multiply(db, { from: PERSON, count: copies });
      await countAll(db);
    }
    bench.note(`${others * eventsOfEach} events of ${others} others`);
    await storeMany(callerOf(serviceOn({ db: among })), TEMPLATE, eventsOfEach);
    await countAll(among);
    await addPersons(among, { from: TEMPLATE, count: others });
    const calls = new Map([
      [ALONE, callerOf(serviceOn({ db: alone }))],
      [AMONG, callerOf(serviceOn({ db: among }))],
    ]);
    await recall(callerOf(serviceOn({ db: among })), "w1x", {
      labels: [],
      scope: `org:person-${others}${SCOPE_BELOW}`,
    });
    const parts: Part[] = [];
    for (const [label, query, labels] of QUERIES) {
      const once = (call: Call) => recall(call, query(), { labels });
      parts.push(await compare(bench, calls, `recall of ${label}`, once));
    }
    for (const size of [1, 100]) {
      const once = (call: Call) => store(call, size);
      parts.push(await compare(bench, calls, `store of ${size}`, once));
    }
    return parts;
  },
};

async function compare(
  bench: Bench,
  calls: ReadonlyMap<string, Call>,
  title: string,
  once: (call: Call) => Promise<unknown>,
): Promise<Part> {
  bench.note(title);
  const contest = await alternate(
    [...calls].map(([label, call]) => ({ label, once: () => once(call) })),
    { rounds: bench.pick(12, 1), calls: bench.pick(15, 2) },
  );
  return {
    title,
    rows: contest.rows,
    figures: [{
      label: `p50 ${AMONG} over ${ALONE}`,
      value: contest.ratio(AMONG, ALONE),
      unit: "×",
      bar: BAR,
    }],
  };
}

async function storeMany(
  call: Call,
  root: string,
  count: number,
): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    await store(call, Math.min(left, BATCH), root + SCOPE_BELOW);
  }
}

/** Counts terms ahead, as a server does in the background. */
async function countAll(db: Db): Promise<void> {
  const log = new PostgresEventLog(() => Promise.resolve(db));
  while (await log.countTerms());
}
