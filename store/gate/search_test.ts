import { deepEqual, equal, ok } from "node:assert/strict";
import type { Db, Row } from "../pg/db.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Statement } from "../root_data/statement.ts";
import { insertFeedback } from "./insert.ts";
import { searchDecisions } from "./search.ts";
import {
  countStatement,
  type DecisionFilter,
  indexedStatement,
  ONLY_TEXT_INDEX,
  pageStatement,
} from "./search_statement.ts";
import { MANY } from "./testdata/recorded.ts";

const DECISIONS = 20_000;

interface Plan {
  /** Indexes that are read. */
  readonly indexes: readonly string[];
  /** Kinds of its nodes, a node before those below it. */
  readonly kinds: readonly string[];
  /** Rows that scans gave or threw away. */
  readonly rowsRead: number;
}

/** What the server did for a statement. */
async function planOf(
  db: Db,
  { text, params }: Statement,
  settings: Readonly<Record<string, string>> = {},
): Promise<Plan> {
  const rows = await db.transaction(async (tx) => {
    for (const [name, value] of Object.entries(settings)) {
      await tx.write("select set_config($1, $2, true)", [name, value]);
    }
    return await tx.read<Row>(
      `explain (analyze, format json) ${text}`,
      params,
    );
  });
  const indexes: string[] = [];
  const kinds: string[] = [];
  let rowsRead = 0;
  const walk = (node: Record<string, unknown>) => {
    const kind = String(node["Node Type"]);
    kinds.push(kind);
    if (typeof node["Index Name"] === "string") {
      indexes.push(node["Index Name"]);
    }
    if (/Scan$/.test(kind) && kind !== "CTE Scan") {
      rowsRead += Number(node["Actual Rows"]) * Number(node["Actual Loops"]) +
        Number(node["Rows Removed by Filter"] ?? 0);
    }
    for (const one of (node.Plans ?? []) as Record<string, unknown>[]) {
      walk(one);
    }
  };
  const [plan] = rows[0]?.["QUERY PLAN"] as { Plan: Record<string, unknown> }[];
  if (plan !== undefined) walk(plan.Plan);
  return { indexes, kinds, rowsRead };
}

/** Few decisions, the oldest, so that a walk from the newest would be long. */
const RARE = `
  insert into gate_decisions (gate, surface, decided_at, decision)
  select 'issue_work', 'rare_surface', date '2001-01-01' + n, 'rare_verdict'
  from generate_series(1, 15) n`;

Deno.test("every exact filter reads an index in the order of the answer, and no more than the page", async () => {
  await using test = await openTestDb();
  const { db } = test;
  await db.write(MANY, [DECISIONS]);
  await db.write(RARE);
  await db.write("analyze gate_decisions");
  const cases: readonly DecisionFilter[] = [
    {},
    { gate: "issue_work" },
    { surface: "surface_1" },
    { decision: "hold" },
    { gate: "pr_merge", surface: "surface_1" },
    { gate: "pr_merge", decision: "hold" },
    { surface: "surface_1", decision: "hold" },
    { gate: "pr_merge", surface: "surface_1", decision: "hold" },
    { artifactUrl: "https://github.com/o/r/pull/7" },
    { from: "2025-12-01", to: "2025-12-31" },
    { surface: "rare_surface" },
    { decision: "rare_verdict" },
    { gate: "issue_work", surface: "rare_surface" },
    { gate: "issue_work", decision: "rare_verdict" },
    { surface: "rare_surface", decision: "rare_verdict" },
    { gate: "pr_merge", surface: "rare_surface" },
    { gate: "pr_merge", decision: "rare_verdict" },
    { surface: "surface_1", decision: "rare_verdict" },
    { gate: "issue_work", surface: "surface_1", decision: "rare_verdict" },
    { to: "2001-12-31" },
  ];
  for (const filter of cases) {
    for (const place of [undefined, { day: "2025-11-11", id: "7" }]) {
      const plan = await planOf(
        db,
        pageStatement(filter, { limit: 11, place }),
      );
      const what = JSON.stringify({ filter, place, plan });
      ok(!plan.kinds.includes("Seq Scan"), what);
      ok(plan.rowsRead <= 300, what);
    }
    const counted = await planOf(db, countStatement(filter));
    ok(!counted.kinds.includes("Sort"), JSON.stringify({ filter, counted }));
  }
  await insertFeedback(db, {
    decisionId: 7,
    verdict: "should-have-held",
    note: null,
    author: null,
    channel: "web_ui",
  });
  await db.write("analyze gate_decision_feedbacks");
  const said = await planOf(
    db,
    pageStatement({ withFeedback: true }, { limit: 11 }),
  );
  ok(said.indexes.includes("gate_decisions_pkey"), JSON.stringify(said));
  const text = await planOf(
    db,
    indexedStatement({ query: "mark-abc" }, { limit: 11 }),
    ONLY_TEXT_INDEX,
  );
  ok(text.indexes.includes("gate_decisions_text"), JSON.stringify(text));
  const address = await planOf(
    db,
    indexedStatement({ artifactQuery: "pull/77" }, { limit: 11 }),
    ONLY_TEXT_INDEX,
  );
  ok(
    address.indexes.includes("gate_decisions_artifact_text"),
    JSON.stringify(address),
  );
});

Deno.test("a rare text is found by its index wherever it lies, a common one in the newest", async () => {
  await using test = await openTestDb();
  const { db } = test;
  await db.write(MANY, [DECISIONS]);
  const [row] = await db.read<{ mark: string }>(
    "select payload ->> 'mark' as mark from gate_decisions where id = 19990",
  );
  const rare = await searchDecisions(db, {
    query: row?.mark.slice(0, 20).toUpperCase(),
    limit: 10,
    offset: 0,
  });
  deepEqual(
    [rare.decisions.map(({ id }) => id), rare.total, rare.scan],
    [[19_990], 1, undefined],
  );
  const common = await searchDecisions(db, {
    query: "because",
    limit: 10,
    offset: 0,
  });
  equal(common.decisions.length, 10);
  equal(common.scan?.lookedAt, 1_000);
  const skipped = await searchDecisions(db, {
    artifactQuery: "/pull/1999",
    limit: 5,
    offset: 8,
  });
  equal(skipped.total, 11);
  equal(skipped.decisions.length, 3);
});

Deno.test("short texts, and servers without the index, are answered a stretch at a time without gaps", async () => {
  await using test = await openTestDb();
  const { db } = test;
  await db.write(MANY, [5_000]);
  const matching = (filter: string) =>
    db.read<{ id: number }>(
      `select id::int as id from gate_decisions where ${filter}
       order by coalesce(decided_at, '-infinity') desc, id desc`,
    );
  const all = async (query: string) => {
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await searchDecisions(db, {
        query,
        limit: 40,
        offset: 0,
        cursor,
      });
      found.push(...page.decisions.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    return found;
  };
  deepEqual(
    await all("99"),
    (await matching("payload::text ilike '%99%'")).map(({ id }) => id),
  );
  await db.write("drop index gate_decisions_text");
  deepEqual(
    await all("mark-9f"),
    (await matching("payload::text ilike '%mark-9f%'")).map(({ id }) => id),
  );
  const none = await searchDecisions(db, {
    query: "\u{1f600}",
    limit: 10,
    offset: 0,
  });
  deepEqual(
    [none.total, none.scan],
    [0, { lookedAt: 5_000, isComplete: true }],
  );
});
