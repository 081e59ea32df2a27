/**
 * Search by containment as data grows: more records in the table, whoever they
 * belong to, and more in the caller's own namespace.
 *
 * Each search finds the same ten records however many there are, so what grows
 * is the cost of finding them.
 *
 * @module
 */
import { searchRecords } from "../../store/root_data/search.ts";
import type { Db } from "../../store/pg/mod.ts";
import { alternate, type Contest } from "./alternate.ts";
import type { Bench, Benchmark, Part } from "./benchmark.ts";
import { type McpClient, openStdio } from "./pipe_client.ts";
import { COLLECTION_NAMES, fill, type Stage } from "./stage.ts";

const MINE = "mine";
const MINE_RECORDS = 1_000;
const HITS = 10;

/** The benchmark. */
export const search: Benchmark = {
  name: "search",
  summary: "search by containment, 1,000 to 1,000,000 records",
  async run(bench) {
    const stage = await bench.stage();
    return [
      await inNamespace(bench, stage),
      await inTable(bench, stage),
    ];
  },
};

/** Over stdio, in namespaces of one table. */
async function inNamespace(bench: Bench, stage: Stage): Promise<Part> {
  const sizes = [
    { root: "search-1k", collections: 1, each: bench.pick(1_000, 100) },
    { root: "search-10k", collections: 1, each: bench.pick(10_000, 200) },
    { root: "search-100k", collections: 10, each: bench.pick(10_000, 100) },
  ];
  await using clients = new AsyncDisposableStack();
  const contestants = [];
  for (const { root, collections, each } of sizes) {
    bench.note(`filling ${root}`);
    for (const name of COLLECTION_NAMES.slice(0, collections)) {
      await fill(stage.db, root, name, each);
    }
    const client = clients.use(await openStdio(root, stage.env));
    const label = `${collections * each} records in the namespace`;
    contestants.push({
      label,
      once: (index: number) => searchOnce(client, index % (each / HITS)),
    });
  }
  await stage.db.write("vacuum analyze agent_root_records");
  const contest = await alternate(contestants, {
    rounds: bench.pick(30, 1),
    calls: bench.pick(50, 5),
  });
  return {
    title: `search_root_records over stdio, ${HITS} hits`,
    rows: contest.rows,
    figures: [growth(contest, { atMost: 1.3 })],
  };
}

function searchOnce(client: McpClient, batch: number): void {
  const answer = client.call("search_root_records", {
    collection: "c0",
    filter: { batch },
  });
  if (!answer.includes(`"total":${HITS}`)) throw new Error(answer);
}

/** In the store, on databases of different sizes on one server. */
async function inTable(bench: Bench, stage: Stage): Promise<Part> {
  const sizes = bench.pick([1_000, 10_000, 100_000, 1_000_000], [1_000, 2_000]);
  const contestants = [];
  for (const size of sizes) {
    bench.note(`filling a table with ${size} records`);
    const db = await stage.openOther(`table_${size}`);
    await fill(db, MINE, "c0", MINE_RECORDS);
    const others = bench.pick(10_000, 1_000);
    for (let left = size - MINE_RECORDS; left > 0; left -= others) {
      await fill(db, `other-${left}`, "c0", Math.min(left, others));
    }
    await db.write("vacuum analyze agent_root_records");
    contestants.push({
      label: `${size} records in the table`,
      once: (index: number) => searchIn(db, index % (MINE_RECORDS / HITS)),
    });
  }
  const contest = await alternate(contestants, {
    rounds: bench.pick(30, 1),
    calls: bench.pick(50, 5),
  });
  return {
    title: `search of ${MINE_RECORDS} records in the store, ${HITS} hits`,
    rows: contest.rows,
    figures: [growth(contest)],
  };
}

async function searchIn(db: Db, batch: number): Promise<void> {
  const { total } = await searchRecords(db, {
    namespace: MINE,
    collection: "c0",
    filter: { batch },
    order: "newest",
    limit: 20,
    offset: 0,
  });
  if (total !== HITS) throw new Error(`${total} records were found`);
}

/** The last over the first. */
function growth(contest: Contest, bar?: { readonly atMost: number }) {
  const first = contest.rows[0]?.label ?? "";
  const last = contest.rows.at(-1)?.label ?? "";
  return {
    label: `p50 with ${last} over ${first}`,
    value: contest.ratio(last, first),
    unit: "×",
    ...(bar === undefined ? {} : { bar }),
  } as const;
}
