/**
 * Decisions for tests and benchmarks, put in without the rules.
 *
 * @module
 */
import type { Db } from "../../pg/db.ts";
import type { GateDecision } from "../decision.ts";
import { insertDecision, type NewDecision } from "../insert.ts";

/** Records a decision that needs no more than its number. */
export async function recorded(
  db: Db,
  decision: Partial<NewDecision> = {},
): Promise<GateDecision> {
  return await insertDecision(db, {
    gate: "pr_merge",
    surface: "web",
    artifactUrl: null,
    decidedAt: null,
    decision: null,
    producingSessionUrl: null,
    writingSessionId: null,
    recordedVia: "mcp",
    payload: '{"title": "T"}',
    ...decision,
  });
}

/**
 * Many at once: both gates, 20 surfaces, one verdict in seven is a hold, a day
 * for every 200. $1 is their number.
 */
export const MANY = `
  insert into gate_decisions (gate, surface, artifact_url, decided_at, decision,
    recorded_via, payload)
  select case when n % 5 = 0 then 'issue_work' else 'pr_merge' end,
    'surface_' || n % 20, 'https://github.com/o/r/pull/' || n,
    date '2026-01-01' - (n / 200)::int,
    case when n % 7 = 0 then 'hold' else 'auto-merge' end, 'import',
    jsonb_build_object('title', 'Change ' || n, 'mark', 'mark-' || md5(n::text),
      'reason', 'Because ' || repeat(md5((n + 1)::text) || ' ', 8))
  from generate_series(1, $1::int) n`;
