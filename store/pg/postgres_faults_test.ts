/**
 * Faults at moments that the driver does not expect. A promise that it lets go
 * uncaught would end the process, and fails the test here.
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  done,
  type FalseConnection,
  fatal,
  openFalsePostgres,
  WELCOME,
} from "../../tests/support/false_postgres.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { StoreUnavailableError } from "../errors.ts";
import type { Db } from "./db.ts";
import { openPool } from "./postgres.ts";

Deno.test("a server that crashes while a connection is made ends no process", async () => {
  using server = openFalsePostgres({
    greet: async ({ number, send, close }) => {
      // In the middle of its recovery when the client comes back.
      await send(number === 1 ? WELCOME : fatal("57P03"));
      if (number > 1) close();
    },
    answer: ({ close }) => Promise.resolve(close()),
  });
  const db = openPool(server.target, { max: 1, retryDelaysMs: [1, 1] });
  try {
    await rejects(db.read("select 1"), StoreUnavailableError);
    await rejects(
      db.transaction((tx) => tx.read("select 1")),
      StoreUnavailableError,
    );
  } finally {
    await db.close();
  }
});

Deno.test("a statement that cannot even be cancelled ends no process", async () => {
  using server = openFalsePostgres({
    answer: () => {
      // It says nothing any more, and nobody new gets through.
      server.closeDoor();
      return Promise.resolve();
    },
  });
  const db = openPool(server.target, {
    max: 1,
    statementTimeoutMs: 50,
    cancelGraceMs: 200,
    retryDelaysMs: [],
  });
  try {
    await rejects(db.write("select 1"), StoreUnavailableError);
  } finally {
    await db.close();
  }
});

/** How often what a pool sends reaches a server that hangs up on it. */
async function countSent(
  run: (db: Db) => Promise<unknown>,
  hangUp: boolean,
  code: string,
): Promise<number> {
  let sent = 0;
  using server = openFalsePostgres({
    answer: ({ close }, text) => {
      if (text.includes("sought")) sent++;
      if (hangUp) close();
      return Promise.resolve();
    },
  });
  const db = openPool(server.target, {
    max: 1,
    statementTimeoutMs: hangUp ? 20_000 : 50,
    cancelGraceMs: 50,
    retryDelaysMs: [1, 1],
  });
  try {
    await rejects(run(db), { code });
    // What is sent again goes to the next connection, and this one behind it.
    if (!hangUp) await rejects(db.read("select 'next'"));
  } finally {
    await db.close();
  }
  return sent;
}

Deno.test("a write whose outcome is unknown is sent once, a read as often as there are tries", async () => {
  const write = (db: Db) => db.write("select 'sought'");
  const read = (db: Db) => db.read("select 'sought'");
  equal(await countSent(write, true, "outcome_unknown"), 1);
  equal(await countSent(read, true, "unreachable"), 3);
});

Deno.test("what a server hangs on is sent once, reads included", async () => {
  const write = (db: Db) => db.write("select 'sought'");
  const read = (db: Db) => db.read("select 'sought'");
  equal(await countSent(write, false, "outcome_unknown"), 1);
  equal(await countSent(read, false, "unreachable"), 1);
});

Deno.test("a transaction whose connection breaks at its commit is not run again", async () => {
  const sent: string[] = [];
  using server = openFalsePostgres({
    answer: async ({ send, close }, text) => {
      const [word = ""] = /begin|commit/.exec(text) ?? [];
      sent.push(word);
      if (word === "begin") await send(done("BEGIN", "T"));
      else close(); // It may have committed.
    },
  });
  const db = openPool(server.target, { max: 1, retryDelaysMs: [1, 1] });
  let runs = 0;
  try {
    const work = db.transaction(() => Promise.resolve(++runs));
    await rejects(work, { code: "outcome_unknown" });
  } finally {
    await db.close();
  }
  equal(runs, 1);
  deepEqual(sent, ["begin", "commit"]);
});

Deno.test("a write whose server shuts down under it is sent once, one that was not let in again", async () => {
  for (const isIn of [true, false]) {
    let sent = 0;
    const shutDown = async ({ send, close }: FalseConnection) => {
      sent++;
      await send(fatal("57P01"));
      close();
    };
    using server = openFalsePostgres({
      answer: shutDown,
      ...(isIn ? {} : { greet: shutDown }),
    });
    const db = openPool(server.target, { max: 1, retryDelaysMs: [1, 1] });
    try {
      // The driver keeps what the server said until it is ready again, which
      // one that shuts down never is.
      const code = isIn ? "outcome_unknown" : "unreachable";
      await rejects(db.write("select 1"), { code });
    } finally {
      await db.close();
    }
    equal(sent, isIn ? 1 : 3);
  }
});

Deno.test("a time limit that passes behind another statement gives nobody a wrong answer", async () => {
  await using test = await openTestDb({
    max: 1,
    statementTimeoutMs: 500,
    cancelGraceMs: 20_000,
  });
  const { db } = test;
  const ask = async (n: number) => {
    const [row] = await db.read<{ n: number }>("select $1::int as n", [n]);
    return { asked: n, got: row?.n };
  };
  const [row] = await db.read<{ pid: number }>(
    "select pg_backend_pid() as pid",
  );
  const pid = Number(row?.pid);
  // Known to the connection, so that the next ones are sent ahead.
  const known = () => ask(0).catch(() => undefined);
  const deadline = performance.now() + 60_000;
  // On a slow machine all may be given up, and then nothing was compared.
  for (let answered = 0; answered === 0;) {
    while (await known() === undefined) {
      ok(performance.now() < deadline, "Nothing was answered");
    }
    Deno.kill(pid, "SIGSTOP");
    const asked: Promise<{ asked: number; got: number | undefined }>[] = [];
    try {
      for (let n = 1; n <= 40; n++) {
        asked.push(ask(n));
        asked.at(-1)?.catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    for (const one of await Promise.allSettled(asked)) {
      if (one.status === "rejected") {
        ok(one.reason instanceof StoreUnavailableError);
      } else {
        equal(one.value.got, one.value.asked);
        answered++;
      }
    }
    equal((await ask(99)).got, 99);
  }
});

Deno.test("arrays of texts and of bigints come and go as they are", async () => {
  await using test = await openTestDb();
  const texts = [
    "",
    "a",
    "NULL",
    "a,b",
    '"',
    "\\",
    "{}",
    " x ",
    "ü\n\t",
    "null",
  ];
  const [row] = await test.db.read(
    `select $1::text[] as texts, array['a', null]::text[] as holes, '{}'::text[] as none,
       null::text[] as nothing, array[1, 9007199254740993]::bigint[] as ids`,
    [texts],
  );
  deepEqual({ ...row }, {
    texts,
    holes: ["a", null],
    none: [],
    nothing: null,
    ids: ["1", "9007199254740993"],
  });
});
