import { deepEqual, equal, ok } from "node:assert/strict";
import { openTestDb } from "../../tests/support/test_db.ts";
import { startSession } from "../../tests/support/sessions.ts";
import type { Row } from "../../store/pg/mod.ts";
import {
  type Change,
  type ModelItem,
  replay,
} from "../../tests/support/backlog_model.ts";

const CHANGES = 260;
const WORKER =
  new URL("../../tests/support/backlog_worker.ts", import.meta.url).href;

Deno.test("two processes that change the backlog at once leave what a plain list would hold", async () => {
  await using test = await openTestDb();
  const { db, target } = test;
  await db.transaction((tx) =>
    tx.exec(
      "create table changes (id bigint generated always as identity, change jsonb not null)",
    )
  );
  const { session } = await startSession(db, { agentRootKey: "router" });
  const folder = await Deno.makeTempDir();
  const roots = `${folder}/roots.json`;
  await Deno.writeTextFile(roots, JSON.stringify({ router: {} }));
  const seed = Math.floor(Math.random() * 2 ** 31);
  const workers = [seed, seed + 1].map((seed) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--no-check",
        "--frozen",
        "-P=test",
        WORKER,
        JSON.stringify({
          target,
          roots,
          seed,
          sessionId: session.id,
          changes: CHANGES,
        }),
      ],
      stdout: "piped",
      stderr: "piped",
    }).output()
  );
  for (const { code, stderr } of await Promise.all(workers)) {
    equal(code, 0, `seed ${seed}: ${new TextDecoder().decode(stderr)}`);
  }
  await Deno.remove(folder, { recursive: true });
  const changes = (await db.read<{ change: Change }>(
    "select change from changes order by id",
  )).map(({ change }) => change);
  const stored = await db.read<Row & ModelItem & { id: number }>(
    `select id::int as id, key, estimated_cost as cost,
       (row_number() over (order by id) - 1)::int as order, precedence, pinned, status
     from work_backlog_items order by id`,
  );
  const model = replay(changes, stored.map(({ id }) => id));
  deepEqual(
    stored.map(({ id: _id, ...one }) => one),
    model.map(({ key, cost, order, precedence, pinned, status }) => ({
      key,
      cost,
      order,
      precedence,
      pinned,
      status,
    })),
    `seed ${seed}`,
  );
  const kinds = new Set(changes.map(({ kind }) => kind));
  ok(kinds.size === 7 && changes.length > CHANGES, `seed ${seed}`);
  // Every started item is one session, a child of the puller.
  const [sessions] = await db.read(
    `select count(*)::int as children, count(distinct i.id)::int as items
     from sessions s join work_backlog_items i on i.started_session_id = s.id
     where s.parent_session_id = $1 and s.scheduling_class = 'spot'`,
    [session.id],
  );
  const started = model.filter(({ status }) => status === "started").length;
  deepEqual({ ...sessions }, { children: started, items: started });
});
