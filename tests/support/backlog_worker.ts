/**
 * Makes random changes to a backlog, in a process of its own. Each change that
 * is made notes itself under the queue's lock, so that the notes stand in the
 * order in which the changes were made.
 *
 * @module
 */
import { openCatalog } from "../../catalog/mod.ts";
import type { Db, Row } from "../../store/pg/db.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { FleetRefusalError } from "../../fleet/errors.ts";
import { appendItem } from "../../fleet/backlog/append.ts";
import { pinItem, removeItem, unpinItem } from "../../fleet/backlog/levers.ts";
import { pullItems } from "../../fleet/backlog/pull.ts";
import type { Change } from "./backlog_model.ts";

const { target, roots, sessionId, seed, changes } = JSON.parse(
  Deno.args[0] ?? "{}",
);

let state = seed >>> 0;
/** A whole number from 0 to below `n`. */
function pick(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor(state / 2 ** 32 * n);
}

let current: Change = { kind: "pull", count: 0 };
/** The database, which notes the change under way once it holds the lock. */
function noting(db: Db): Db {
  return {
    read: (text, params, bounds) => db.read(text, params, bounds),
    write: (text, params) => db.write(text, params),
    close: () => db.close(),
    transaction: (fn) =>
      db.transaction((tx) =>
        fn({
          read: (text, params) => tx.read(text, params),
          exec: (script) => tx.exec(script),
          async write<T extends Row>(
            text: string,
            params?: readonly unknown[],
          ) {
            const rows = await tx.write<T>(text, params);
            if (text.includes("pg_advisory_xact_lock")) {
              await tx.write(
                "insert into changes (change) values ($1::text::jsonb)",
                [JSON.stringify(current)],
              );
            }
            return rows;
          },
        })
      ),
  };
}

const pool = openPool(target, { max: 2 });
const db = noting(pool);
await using catalog = openCatalog({ source: roots, aliases: {} });
const store = {
  isEmbedded: false,
  db: () => Promise.resolve(db),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
const fleet = { catalog, store };
const puller = { sessionId, allowedAgentRoots: null };

async function queued(): Promise<{ id: number; key: string } | undefined> {
  const rows = await pool.read<{ id: number; key: string }>(
    "select id::int as id, key from work_backlog_items where status = 'queued' order by id",
  );
  return rows[pick(rows.length)];
}

async function change(): Promise<void> {
  const kind = pick(20);
  if (kind < 13) {
    const key = `k${pick(400)}`;
    // Most are small, so that their band has to be spread.
    const cost = pick(10) < 8 ? "small" : pick(2) === 0 ? "medium" : "large";
    current = { kind: "append", key, cost };
    await appendItem(fleet, {
      key,
      issueUrl: `https://github.com/o/r/issues/${key.slice(1)}`,
      repo: "o/r",
      surface: "web",
      title: key,
      kind: "bug",
      scopeDirection: "convergent",
      estimatedCost: cost,
    }, { via: "mcp", by: "mcp", sessionId: null });
    return;
  }
  if (kind === 13) {
    current = { kind: "pull", count: pick(3) };
    await pullItems(fleet, { count: current.count ?? 0 }, puller);
    return;
  }
  const item = await queued();
  if (item === undefined) return;
  const { id, key } = item;
  switch (kind) {
    case 14: {
      const other = await queued();
      if (other === undefined || other.id === id) return;
      current = { kind: "pull", keys: [key], dead: [other.key] };
      const dead = [{ key: other.key, reason: "issue_closed" }];
      await pullItems(fleet, { keys: [key], dead }, puller);
      return;
    }
    case 15:
      current = { kind: "pin", id };
      await pinItem(fleet, id, { kind: "here" });
      return;
    case 16:
      current = { kind: "unpin", id };
      await unpinItem(fleet, id);
      return;
    case 17:
      current = { kind: "top", id };
      await pinItem(fleet, id, { kind: "top" });
      return;
    case 18: {
      const precedence = 5_000 + pick(1_500);
      current = { kind: "place", id, precedence };
      await pinItem(fleet, id, { kind: "precedence", precedence });
      return;
    }
    default:
      current = { kind: "remove", id };
      await removeItem(fleet, id, { reason: "no", by: "human" });
  }
}

for (let n = 0; n < changes; n++) {
  try {
    await change();
  } catch (error) {
    // Another worker was first; then nothing was changed, and nothing noted.
    if (!(error instanceof FleetRefusalError)) throw error;
  }
}
await pool.close();
