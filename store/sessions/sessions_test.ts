import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { archiveSession, startSession } from "../../tests/support/sessions.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { findSession, findSessionByName, listSessions } from "./find.ts";
import { insertSession } from "./insert.ts";
import { lockSession, writeState } from "./state.ts";
import { findSessionByToken } from "./token.ts";

const GARDENER = { agentRootKey: "gardener" };

Deno.test("a session starts waiting, with a title of its own and a token shown once", async () => {
  await using test = await openTestDb();
  const { session, token } = await startSession(test.db, GARDENER);
  equal(session.status, "waiting");
  equal(session.title, `Session ${session.id}`);
  equal(session.agentRootKey, "gardener");
  deepEqual(session.metadata, { auto_generated_title: true });
  match(token ?? "", new RegExp(`^rcs_${session.id}_[A-Za-z0-9_-]{43}$`));
  const rows = await test.db.read("select sessions::text as row from sessions");
  ok(!JSON.stringify(rows).includes(String(token).slice(-43)));
});

Deno.test("a token proves its session, and nothing else does", async () => {
  await using test = await openTestDb();
  const one = await startSession(test.db, GARDENER);
  const two = await startSession(test.db, GARDENER);
  const token = String(one.token);
  equal((await findSessionByToken(test.db, token))?.id, one.session.id);
  const secret = token.split("_").slice(2).join("_");
  const forged = [
    `rcs_${two.session.id}_${secret}`,
    `rcs_${one.session.id}_${"A".repeat(43)}`,
    `rcs_999_${secret}`,
    `rcs_0${one.session.id}_${secret}`,
    `${token} `,
    `rcs_99999999999999999999_${secret}`,
    "rcs_",
    "",
  ];
  for (const text of forged) {
    equal(await findSessionByToken(test.db, text), undefined, text);
  }
});

Deno.test("a token ends with its session's archive", async () => {
  await using test = await openTestDb();
  const { session, token } = await startSession(test.db, GARDENER);
  const archived = await archiveSession(test.db, session.id);
  equal(archived.status, "archived");
  ok(archived.archivedAt !== null);
  equal(archived.hasToken, false);
  equal(await findSessionByToken(test.db, String(token)), undefined);
  const again = await archiveSession(test.db, session.id);
  deepEqual(again.archivedAt, archived.archivedAt);
});

Deno.test("an archived session's token opens nothing, even where its digest is still there", async () => {
  await using test = await openTestDb();
  const { session, token } = await startSession(test.db, GARDENER);
  ok(await findSessionByToken(test.db, String(token)));
  await test.db.write(
    "update sessions set status = 'archived', archived_at = now() where id = $1",
    [session.id],
  );
  equal(await findSessionByToken(test.db, String(token)), undefined);
});

Deno.test("archiving a session that does not exist is refused", async () => {
  await using test = await openTestDb();
  await rejects(archiveSession(test.db, 404), /Session 404 does not exist/);
});

Deno.test("a session is found by number or slug", async () => {
  await using test = await openTestDb();
  const { session } = await startSession(test.db, {
    ...GARDENER,
    slug: "spring-2026",
  });
  equal((await findSession(test.db, session.id))?.slug, "spring-2026");
  equal(
    (await findSessionByName(test.db, String(session.id)))?.id,
    session.id,
  );
  equal((await findSessionByName(test.db, "spring-2026"))?.id, session.id);
  for (const name of ["0", "99999999999999999999", "x\u0000", "\ud800", ""]) {
    equal(await findSessionByName(test.db, name), undefined);
  }
});

Deno.test("a slug that is taken inserts nothing", async () => {
  await using test = await openTestDb();
  const mine = {
    ...GARDENER,
    status: "waiting",
    drivenBy: "client",
    slug: "mine",
  } as const;
  await test.db.transaction((tx) => insertSession(tx, mine));
  equal(
    await test.db.transaction((tx) => insertSession(tx, mine)),
    undefined,
  );
  equal((await listSessions(test.db)).length, 1);
});

Deno.test("the table refuses a slug, title, state or driver that no rule would let through", async () => {
  await using test = await openTestDb();
  for (
    const change of [
      { slug: "123" },
      { slug: "Has Space" },
      { title: "" },
      { title: "x".repeat(101) },
      { status: "lost" as "failed" },
      { drivenBy: "nobody" as "client" },
    ]
  ) {
    const row = {
      ...GARDENER,
      status: "waiting",
      drivenBy: "client",
      ...change,
    } as const;
    await rejects(test.db.transaction((tx) => insertSession(tx, row)));
  }
  deepEqual(await listSessions(test.db), []);
});

Deno.test("a session is a client's unless it is said to be a runner's", async () => {
  await using test = await openTestDb();
  const [row] = await test.db.write(
    "insert into sessions (title) values ('old') returning driven_by",
  );
  equal(row?.driven_by, "client");
  const runs = await startSession(test.db, { ...GARDENER, drivenBy: "runner" });
  equal(runs.session.drivenBy, "runner");
});

Deno.test("a locked session waits for its transaction, and its state is written as a whole", async () => {
  await using test = await openTestDb();
  const { session } = await startSession(test.db, GARDENER);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = test.db.transaction(async (tx) => {
    await lockSession(tx, session.id);
    first.resolve();
    await tx.read("select pg_sleep(0.1)");
    order.push("one");
    return await writeState(tx, session.id, {
      status: "archived",
      notesArchive: true,
      endsToken: true,
    });
  });
  await first.promise;
  const two = await test.db.transaction(async (tx) => {
    const seen = await lockSession(tx, session.id);
    order.push("two");
    return seen;
  });
  deepEqual(order, ["one", "two"]);
  deepEqual(two, await one);
  deepEqual([two?.status, two?.hasToken], ["archived", false]);
  const missing = await test.db.transaction((tx) => lockSession(tx, 404));
  equal(missing, undefined);
});

Deno.test("sessions are listed newest first, archived ones on request", async () => {
  await using test = await openTestDb();
  const ids: number[] = [];
  for (const root of ["a", "b", "a"]) {
    const { session } = await startSession(test.db, { agentRootKey: root });
    ids.push(session.id);
  }
  await archiveSession(test.db, Number(ids[1]));
  const list = async (filter = {}) =>
    (await listSessions(test.db, filter)).map((one) => one.id);
  deepEqual(await list(), [ids[2], ids[0]]);
  deepEqual(await list({ includeArchived: true }), ids.toReversed());
  deepEqual(await list({ status: "archived" }), [ids[1]]);
  deepEqual(await list({ agentRootKey: "a", limit: 1, offset: 1 }), [ids[0]]);
});

Deno.test("a session keeps its groups, parent and own data", async () => {
  await using test = await openTestDb();
  const parent = await startSession(test.db, GARDENER);
  const { session } = await startSession(test.db, {
    ...GARDENER,
    title: "Spring 🌱",
    parentSessionId: parent.session.id,
    toolGroups: ["root_data_readonly"],
    customMetadata: { pr: 7 },
    withToken: false,
  });
  deepEqual(await findSession(test.db, session.id), session);
  equal(session.parentSessionId, parent.session.id);
  deepEqual(session.toolGroups, ["root_data_readonly"]);
  deepEqual(session.customMetadata, { pr: 7 });
  equal(session.hasToken, false);
  deepEqual(session.metadata, {});
});

Deno.test("a session changes while the one that started it is locked: nobody waits for both", async () => {
  await using test = await openTestDb();
  const parent = await startSession(test.db, GARDENER);
  const child = await startSession(test.db, {
    ...GARDENER,
    parentSessionId: parent.session.id,
  });
  await test.db.transaction(async (tx) => {
    await lockSession(tx, parent.session.id);
    // Written twice in a transaction, a row's references are looked up.
    await test.db.transaction(async (other) => {
      await lockSession(other, child.session.id);
      await writeState(other, child.session.id, { status: "running" });
      await writeState(other, child.session.id, { status: "needs_input" });
    });
  });
  const changed = await findSession(test.db, child.session.id);
  equal(changed?.status, "needs_input");
});
