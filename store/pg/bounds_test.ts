/**
 * Reads that may be dear: their share of the pool, their time on the server,
 * and their end when the caller leaves.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openTestDb, type TestDb } from "../../tests/support/test_db.ts";
import { StoreUnavailableError } from "../errors.ts";
import type { Db } from "./db.ts";

const SLEEP = "select pg_sleep(600) /* dear */";
const DEADLINE_MS = 120_000;

/** How many of the dear reads the server works on. */
async function sleeping(db: Db): Promise<number> {
  const [row] = await db.read<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'active'
       and query like '%/* dear */%' and pid <> pg_backend_pid()`,
  );
  return row?.count ?? 0;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    ok(performance.now() < deadline, "It never came true");
  }
}

function dear(test: TestDb, signal: AbortSignal): Promise<unknown> {
  return test.db.read(SLEEP, [], { limitMs: 600_000, signal });
}

for (const max of [2, 3, 5]) {
  Deno.test(`dear reads leave ${max} connections some for other calls, and end when their callers leave`, async () => {
    // No limit of its own ends one in their place.
    await using test = await openTestDb({ max, statementTimeoutMs: 600_000 });
    const share = Math.max(1, max - 2);
    const leaving = new AbortController();
    const reads = Array.from({ length: 6 }, () => dear(test, leaving.signal));
    const ends = Promise.allSettled(reads);
    await until(async () => await sleeping(test.db) === share);
    // Others find a connection, each as often as it likes.
    await Promise.all(
      Array.from({ length: 20 }, () => test.db.write("select 1")),
    );
    await test.db.transaction((tx) => tx.read("select 1"));
    equal(await sleeping(test.db), share);
    leaving.abort();
    await until(async () => await sleeping(test.db) === 0);
    for (const one of await ends) {
      ok(one.status === "rejected");
      equal(one.reason.name, "AbortError");
    }
    // Their turns were handed on.
    const bounds = { limitMs: 5_000 };
    deepEqual(
      await Promise.all(
        Array.from(
          { length: 6 },
          (_, n) => test.db.read("select $1::int as n", [n], bounds),
        ),
      ),
      Array.from({ length: 6 }, (_, n) => [{ n }]),
    );
  });
}

Deno.test("a dear read is ended by the server itself, and bounds no other statement", async () => {
  await using test = await openTestDb({ max: 1 });
  await rejects(
    test.db.read(SLEEP, [], { limitMs: 50 }),
    (error: unknown) => {
      ok(error instanceof StoreUnavailableError);
      equal(error.code, "timeout");
      equal(error.sqlState, "57014");
      match(error.message, /nothing was changed/);
      return true;
    },
  );
  const read = (bounds?: { limitMs: number }) =>
    test.db.read<{ limit: string; check: string; reads: string }>(
      `select current_setting('statement_timeout') as limit,
         current_setting('client_connection_check_interval') as check,
         current_setting('transaction_read_only') as reads`,
      [],
      bounds,
    );
  const [bounded] = await read({ limitMs: 50_000 });
  equal(bounded?.limit, "50s");
  equal(bounded?.reads, "on");
  if (Deno.build.os === "linux") equal(bounded?.check, "2s");
  deepEqual(await read(), [{ limit: "0", check: "0", reads: "off" }]);
});

Deno.test("a read that was cancelled before it began is never sent", async () => {
  await using test = await openTestDb({ max: 1 });
  await rejects(dear(test, AbortSignal.abort()), { name: "AbortError" });
  equal((await test.db.read("select 1 as one"))[0]?.one, 1);
});

Deno.test("reads that are cancelled at any moment give nobody another's answer", async () => {
  await using test = await openTestDb({ max: 3 });
  const asked = Array.from({ length: 300 }, async (_, n) => {
    const leaving = new AbortController();
    const read = test.db.read<{ n: number }>(
      "select $1::int as n, pg_sleep(0.001)",
      [n],
      { limitMs: 5_000, signal: leaving.signal },
    ).catch((error) => {
      equal(error.name, "AbortError", String(error));
      return undefined;
    });
    if (n % 3 === 0) queueMicrotask(() => leaving.abort());
    if (n % 3 === 1) setTimeout(() => leaving.abort(), n % 20);
    const other = await test.db.read<{ n: number }>("select $1::int as n", [n]);
    equal(other[0]?.n, n);
    const rows = await read;
    if (rows !== undefined) equal(rows[0]?.n, n);
  });
  await Promise.all(asked);
});
