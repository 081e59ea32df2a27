import { match, ok } from "node:assert/strict";
import { fillSessions } from "../../tests/support/session_rows.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import type { SessionSearch } from "./filter.ts";
import {
  countStatement,
  hasTextIndex,
  pageStatement,
  type SessionSearchPage,
} from "./search.ts";

/** The plan that is taken for these values. */
async function planOf(
  db: Db,
  { sql, params }: { sql: string; params: readonly unknown[] },
): Promise<string> {
  return await db.transaction(async (tx) => {
    await tx.write("set local plan_cache_mode = force_custom_plan");
    await tx.write(`prepare looked_at as ${sql}`);
    const values = params.map((one) =>
      typeof one === "number" ? String(one) : `'${one}'`
    );
    const rows = await tx.read<{ "QUERY PLAN": string }>(
      `explain execute looked_at${
        values.length === 0 ? "" : `(${values.join(", ")})`
      }`,
    );
    await tx.write("deallocate looked_at");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
}

Deno.test("among 100,000 sessions every filter and order has its index, on every page and for the count", async () => {
  await using test = await openTestDb({ statementTimeoutMs: 120_000 });
  const { db } = test;
  await fillSessions(db, 100_000);
  ok(await hasTextIndex(db), "this server has no pg_trgm");
  const spot = { name: "spot", geneses: ["api", "schedule"] } as const;
  const page = { order: "created_desc", limit: 25, offset: 0 } as const;
  const cases: [RegExp, SessionSearch, Partial<SessionSearchPage>][] = [
    [/sessions_live/, {}, {}],
    [/sessions_created_at/, { includeArchived: true }, {}],
    [/sessions_status/, { statuses: ["failed"] }, {}],
    [/sessions_runtime_live/, { agentRuntime: "gemini" }, {}],
    [/sessions_runtime/, { agentRuntime: "gemini", includeArchived: true }, {}],
    [/sessions_genesis_live/, { genesis: "slack" }, {}],
    [/sessions_class_live/, { schedulingClass: spot }, {}],
    [/sessions_off_board/, { isOnBoard: false }, {}],
    [/sessions_rank/, {}, { order: "precedence" }],
    [/sessions_search/, {}, { text: "issues/4711" }],
    [/sessions_pkey/, { id: 4711, includeArchived: true }, {}],
  ];
  for (const [index, search, more] of cases) {
    const plan = await planOf(db, pageStatement(search, { ...page, ...more }));
    match(plan, index, `${JSON.stringify([search, more])}\n${plan}`);
    ok(!plan.includes("Seq Scan on sessions"), plan);
    if (more.order !== undefined) continue;
    const counting = await planOf(db, countStatement(search, more.text));
    match(counting, index, JSON.stringify([search, more, "count"]));
    ok(!counting.includes("Seq Scan on sessions"), counting);
  }
});
