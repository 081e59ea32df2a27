import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openBlankDb, openTestDb } from "../../tests/support/test_db.ts";
import type { Db, Transaction } from "./db.ts";
import { StoreRefusalError, StoreUnavailableError } from "../errors.ts";
import { toUnavailable } from "./faults.ts";
import { openPool } from "./postgres.ts";

function unavailable(code: string) {
  return (error: unknown) => {
    ok(error instanceof StoreUnavailableError, String(error));
    equal(error.code, code);
    return true;
  };
}

Deno.test("a database that does not answer is unreachable, and no secret is in the text", async () => {
  const db = openPool({
    kind: "url",
    url: "postgres://gardener:hunter2@127.0.0.1:1/store",
  }, { retryDelaysMs: [] });
  await rejects(db.read("select 1"), (error: unknown) => {
    unavailable("unreachable")(error);
    ok(!String(error).includes("hunter2"));
    ok(!String(error).includes("127.0.0.1"));
    return true;
  });
  await db.close();
});

Deno.test("an address that is none of PostgreSQL is rejected", () => {
  let caught: unknown;
  try {
    openPool({ kind: "url", url: "postgres://[bad" });
  } catch (error) {
    caught = error;
  }
  unavailable("rejected")(caught);
});

Deno.test("recover is called before a connection is tried again", async () => {
  const calls: number[] = [];
  const db = openPool({ kind: "url", url: "postgres://x@127.0.0.1:1/x" }, {
    retryDelaysMs: [1, 1],
    recover: () => {
      calls.push(calls.length);
      return Promise.resolve();
    },
  });
  await rejects(db.write("select 1"), unavailable("unreachable"));
  deepEqual(calls, [0, 1]);
  await db.close();
});

Deno.test("a statement past the time limit is cancelled and the pool goes on", async () => {
  await using test = await openTestDb({ max: 1, statementTimeoutMs: 200 });
  await rejects(test.db.read("select pg_sleep(30)"), unavailable("timeout"));
  deepEqual(await test.db.read("select 1 as one"), [{ one: 1 }]);
});

Deno.test("a refusal thrown in a transaction rolls it back and comes out as it is", async () => {
  await using test = await openTestDb();
  const refusal = new StoreRefusalError("bad_argument", "No");
  await rejects(
    test.db.transaction(async (tx) => {
      await tx.write("insert into sessions (title) values ('x')");
      throw refusal;
    }),
    (error) => error === refusal,
  );
  deepEqual(await test.db.read("select 1 from sessions"), []);
});

Deno.test("an error of the server names its SQLSTATE and nothing of its text", async () => {
  await using test = await openTestDb();
  await rejects(
    test.db.read("select 'hunter2'::int"),
    (error: unknown) => {
      unavailable("failed")(error);
      match(String(error), /SQLSTATE 22P02/);
      ok(!String(error).includes("hunter2"));
      return true;
    },
  );
});

Deno.test("a connection that is cut under a read is opened anew", async () => {
  await using test = await openTestDb({ max: 1 });
  await using killer = await openTestDb();
  const [row] = await test.db.read<{ pid: number }>(
    "select pg_backend_pid() as pid",
  );
  const slow = test.db.read("select pg_sleep(0.3), 1 as one");
  await killer.db.read("select pg_terminate_backend($1)", [row?.pid]);
  equal((await slow)[0]?.one, 1);
  ok(
    (await test.db.read<{ pid: number }>("select pg_backend_pid() as pid"))[0]
      ?.pid !== row?.pid,
  );
});

/** Ends all other connections of a database, as a crash would. */
async function breakConnections(db: Db): Promise<void> {
  await db.write(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  // By now the driver has seen it.
  for (let n = 0; n < 10; n++) await db.read("select 1");
}

for (
  const [name, after] of Object.entries({
    "a further statement": (tx: Transaction) => tx.read("select 1"),
    "the commit": () => Promise.resolve(),
    "a refusal": () => Promise.reject(new Error("Refused")),
  })
) {
  Deno.test(`a transaction whose connection breaks before ${name} fails, and the pool goes on`, async () => {
    await using test = await openBlankDb();
    const work = test.db.transaction(async (tx) => {
      await tx.read("select 1");
      await breakConnections(test.db);
      await after(tx);
    });
    await rejects(work);
    await test.db.read("select 1");
  });
}

Deno.test("a transaction whose connection breaks under a statement fails, and the pool goes on", async () => {
  await using test = await openBlankDb();
  let broken: Promise<unknown> | undefined;
  const work = test.db.transaction(async (tx) => {
    broken = breakConnections(test.db);
    await Promise.all([tx.read("select pg_sleep(10)"), broken]);
  });
  await rejects(work, StoreUnavailableError);
  await Promise.allSettled([broken]); // It may not have ended yet.
  await test.db.read("select 1");
});

Deno.test("a transaction that goes on as if its connection had not broken fails all the same", async () => {
  await using test = await openTestDb({ max: 1 });
  const before = "create table things as select 1 as id";
  const work = test.db.transaction(async (tx) => {
    await tx.exec(before);
    await rejects(tx.write("select pg_terminate_backend(pg_backend_pid())"));
    await rejects(tx.read("select 1"), /nothing was changed/);
    return "done";
  });
  await rejects(work, { code: "unreachable" });
  deepEqual(await test.db.read("select to_regclass('things') as there"), [
    { there: null },
  ]);
});

Deno.test("a transaction whose connection breaks ends after its work has ended", async () => {
  await using test = await openBlankDb();
  let hasEnded = false;
  const work = test.db.transaction(async (tx) => {
    await tx.read("select 1");
    await breakConnections(test.db);
    hasEnded = true;
  });
  await rejects(work, StoreUnavailableError);
  equal(hasEnded, true);
});

Deno.test("a server that answers nothing is given up on, and the next call gets a new connection", async () => {
  await using test = await openTestDb({
    max: 1,
    statementTimeoutMs: 1_000, // Connecting counts, too.
    cancelGraceMs: 200,
  });
  const [row] = await test.db.read<{ pid: number }>(
    "select pg_backend_pid() as pid",
  );
  const pid = Number(row?.pid);
  Deno.kill(pid, "SIGSTOP");
  try {
    await rejects(test.db.write("select 1"), unavailable("outcome_unknown"));
    deepEqual(await test.db.read("select 1 as one"), [{ one: 1 }]);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
});

Deno.test("a network fault of a connection in use leaves the outcome open, one while connecting does not", () => {
  for (const code of ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]) {
    equal(toUnavailable({ code, syscall: "read" }).code, "outcome_unknown");
    equal(toUnavailable({ code }).code, "outcome_unknown");
    equal(toUnavailable({ code, syscall: "connect" }).code, "unreachable");
  }
});

Deno.test("a full disk is named as such, and not as a refused connection", () => {
  const full = toUnavailable({ code: "53100" });
  equal(full.code, "failed");
  match(full.message, /no space left .*nothing was changed/);
  equal(toUnavailable({ code: "53300" }).code, "rejected");
});
