/**
 * Faults at moments that the driver does not expect. A promise that it lets go
 * uncaught would end the process, and fails the test here.
 */
import { deepEqual, rejects } from "node:assert/strict";
import {
  fatal,
  openFalsePostgres,
  WELCOME,
} from "../tests/support/false_postgres.ts";
import { openTestDb } from "../tests/support/test_db.ts";
import { StoreUnavailableError } from "./errors.ts";
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
