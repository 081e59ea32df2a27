/**
 * What a fault means: which errors end a connection, and what the caller of a
 * read, a write and a transaction is told.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  fatal,
  openFalsePostgres,
  WELCOME,
} from "../../tests/support/false_postgres.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { StoreUnavailableError } from "../errors.ts";
import type { Db } from "./db.ts";
import { breaksConnection, toUnavailable } from "./faults.ts";
import { openPool } from "./postgres.ts";

/** Longest that a server takes that is well again. */
const DEADLINE_MS = 120_000;

const READ = { isSent: true, mayStand: false };
const UNSENT = { isSent: false, mayStand: true };
const DOUBT_REGEXP = /may or may not/;
const UNTOUCHED_REGEXP = /nothing was (?:changed|read or written)/;

function raise(sqlState: string): string {
  return `do $$ begin raise 'far node away' using errcode = '${sqlState}'; end $$`;
}

for (const sqlState of ["08006", "57P01", "57P02", "57P03", "25P03"]) {
  Deno.test(`an ERROR with SQLSTATE ${sqlState} ends a transaction at once, and no connection`, async () => {
    await using test = await openTestDb({ max: 1 });
    const pid = async () =>
      (await test.db.read("select pg_backend_pid() as pid"))[0]?.pid;
    const before = await pid();
    let runs = 0;
    await rejects(
      test.db.transaction(async (tx) => {
        runs++;
        await tx.exec(raise(sqlState));
      }),
      StoreUnavailableError,
    );
    equal(runs, 1);
    await rejects(test.db.write(raise(sqlState)), StoreUnavailableError);
    equal(await pid(), before);
  });
}

Deno.test("only what is fatal, or the socket's own end, ends a connection", () => {
  const cases: [object, boolean][] = [
    [{ code: "08006", severity: "ERROR" }, false],
    [{ code: "57P01", severity: "ERROR" }, false],
    [{ code: "57P01", severity: "FATAL" }, true],
    [{ code: "XX000", severity: "PANIC" }, true],
    [{ code: "57P01", severity_local: "FATAL" }, true],
    [{ code: "CONNECTION_CLOSED" }, true],
    [{ code: "ECONNRESET", syscall: "read" }, true],
    [{ code: "22P02", severity: "ERROR" }, false],
    [{}, false],
  ];
  for (const [error, expected] of cases) {
    equal(breaksConnection(error), expected, JSON.stringify(error));
  }
});

Deno.test("no fault of a read, or of what was never sent, leaves anything in doubt", () => {
  const severities = [undefined, "ERROR", "FATAL", "PANIC"];
  const codes = [
    "CONNECTION_CLOSED",
    "CONNECTION_DESTROYED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "57P01",
    "57P02",
    "08006",
    "08P01",
    "XX000",
    "53100",
    undefined,
  ];
  for (const code of codes) {
    for (const severity of severities) {
      for (const circumstances of [READ, UNSENT]) {
        const { code: kind, message } = toUnavailable(
          { code, severity },
          circumstances,
        );
        ok(kind !== "outcome_unknown", `${code} ${severity}`);
        ok(!DOUBT_REGEXP.test(message), message);
      }
    }
  }
  equal(
    toUnavailable({ code: "XX000", severity: "PANIC" }).code,
    "outcome_unknown",
  );
});

Deno.test("what passes by itself says so, and what does not tells the operator", () => {
  const said = (sqlState: string) => {
    const { message, isPassing } = toUnavailable({ code: sqlState });
    return { message, isPassing };
  };
  for (const sqlState of ["53300", "57P03", "25006", "53200"]) {
    const { message, isPassing } = said(sqlState);
    match(message, new RegExp(`${sqlState}.*nothing was.*Try again shortly`));
    equal(isPassing, true);
  }
  for (const sqlState of ["53100", "58030", "42P01", "28P01", "3D000"]) {
    const { message, isPassing } = said(sqlState);
    match(message, /Tell the operator$/);
    equal(isPassing, false);
  }
});

Deno.test("a read whose connection breaks for good says that nothing was changed", async () => {
  using server = openFalsePostgres({
    answer: ({ close }) => Promise.resolve(close()),
  });
  const db = openPool(server.target, { max: 1, retryDelaysMs: [1] });
  try {
    await rejects(db.read("select 1"), /nothing was changed/);
    await rejects(db.write("select 1"), DOUBT_REGEXP);
  } finally {
    await db.close();
  }
});

Deno.test("a write that was never sent is in no doubt, however the connection ends", async () => {
  for (const refusal of [undefined, fatal("08P01"), fatal("57P01")]) {
    using server = openFalsePostgres({
      greet: async ({ send, close }) => {
        if (refusal !== undefined) await send(refusal);
        close();
      },
      answer: () => Promise.resolve(),
    });
    const db = openPool(server.target, {
      max: 1,
      retryDelaysMs: [1],
      statementTimeoutMs: 300,
      cancelGraceMs: 100,
    });
    try {
      await rejects(db.write("select 1"), (error: unknown) => {
        ok(error instanceof StoreUnavailableError);
        ok(!DOUBT_REGEXP.test(error.message), error.message);
        return true;
      });
    } finally {
      await db.close();
    }
  }
});

Deno.test("a call on a server that lets nobody in ends, and the next one connects anew", async () => {
  let isFrozen = true;
  using server = openFalsePostgres({
    greet: async ({ send }) => {
      if (!isFrozen) await send(WELCOME);
    },
    answer: async ({ send }) => await send(fatal("57P02")),
  });
  const recovered = Promise.withResolvers<void>();
  const db = openPool(server.target, {
    max: 1,
    statementTimeoutMs: 300,
    cancelGraceMs: 100,
    recover: () => recovered.promise,
  });
  try {
    await rejects(db.read("select 1"), UNTOUCHED_REGEXP);
    await rejects(db.write("select 1"), UNTOUCHED_REGEXP);
    await rejects(
      db.transaction((tx) => tx.read("select 1")),
      UNTOUCHED_REGEXP,
    );
    isFrozen = false;
    await rejects(db.write("select 1"), DOUBT_REGEXP);
  } finally {
    recovered.resolve();
    await db.close();
  }
});

Deno.test("a recovery that takes long keeps no caller, and does nothing for one that left", async () => {
  const recovered = Promise.withResolvers<void>();
  const db = openPool({ kind: "url", url: "postgres://x@127.0.0.1:1/x" }, {
    retryDelaysMs: [1, 1],
    statementTimeoutMs: 100,
    cancelGraceMs: 50,
    recover: () => recovered.promise,
  });
  // The pool's own timer lets a process end, and nothing else runs here.
  const alive = setTimeout(() => {}, 60_000);
  await rejects(db.write("select 1"), /nothing was read or written/);
  clearTimeout(alive);
  recovered.resolve();
  await db.close();
});

async function untilItReads(db: Db): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let error: unknown = true; error !== undefined;) {
    error = await db.read("select 1").then(() => undefined, (error) => error);
    ok(performance.now() < deadline, `It never read: ${error}`);
  }
}

Deno.test("a transaction whose commit gets no answer ends in doubt, one that had more to do does not", async () => {
  await using test = await openTestDb({
    max: 1,
    statementTimeoutMs: 500,
    cancelGraceMs: 200,
  });
  const freeze = async (goOn: boolean) => {
    let pid = 0;
    try {
      return await test.db.transaction(async (tx) => {
        const [row] = await tx.read("select pg_backend_pid() as pid");
        pid = Number(row?.pid);
        Deno.kill(pid, "SIGSTOP");
        if (goOn) await tx.write("select 1");
      }).catch((error) => error);
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
  };
  // Connecting counts, too, and may not make it in time at first.
  await untilItReads(test.db);
  equal((await freeze(false)).code, "outcome_unknown");
  const rolledBack = await freeze(true);
  ok(rolledBack instanceof StoreUnavailableError);
  match(rolledBack.message, /nothing was changed/);
  await untilItReads(test.db);
});

Deno.test("a pool that finds its server read-only leaves it, and writes once it is not", async () => {
  await using test = await openTestDb({ max: 2 });
  const [row] = await test.db.read("select current_database() as name");
  const setting = `alter database ${row?.name}
    set default_transaction_read_only = on`;
  await test.db.write(setting);
  const db = openPool(test.target, { max: 2 });
  const insert = () =>
    db.write("insert into sessions (title) values ('x') returning 1 as one");
  try {
    await rejects(insert(), /takes no writes now.*25006.*nothing was changed/);
    await rejects(
      db.transaction((tx) => tx.write("delete from sessions")),
      /25006/,
    );
    deepEqual(await db.read("select 1 as one from sessions"), []);
    await test.db.write(setting.replace("= on", "= off"));
    deepEqual(await insert(), [{ one: 1 }]);
  } finally {
    await db.close();
  }
});

Deno.test("what is no fault of a driver has failed, and breaks nothing", () => {
  for (const odd of [undefined, null, "57P01", 7, {}, { code: 57 }]) {
    equal(toUnavailable(odd).code, "failed");
    ok(!breaksConnection(odd));
  }
});

Deno.test("what is an error of the store's already stays as it is", () => {
  const error = toUnavailable({ code: "57014" });
  equal(toUnavailable(error), error);
  equal(error.sqlState, "57014");
});

Deno.test("a code of the machine is no SQLSTATE, however long it is", () => {
  for (const code of ["EPIPE", "EPERM", "EMFILE", "ECONNRESET"]) {
    const { message, sqlState } = toUnavailable({ code });
    equal(sqlState, undefined, code);
    ok(!message.includes(code), message);
  }
  for (const code of ["57014", "P0001", "XX000", "HV00A", "F0000"]) {
    equal(toUnavailable({ code }).sqlState, code);
  }
});
