/**
 * What tools and servers read of 100,000 sessions is read by an index: no plan
 * goes through a table that grows with them.
 */
import { deepEqual, ok } from "node:assert/strict";
import { readSessionView, searchFor, UNRESTRICTED } from "../../fleet/mod.ts";
import { beatSessions } from "../../fleet/clock/heartbeats.ts";
import { expireOverdue } from "../../fleet/elicitations/expire.ts";
import {
  countNotifications,
  findElicitation,
  listElicitations,
} from "../../store/around_sessions/mod.ts";
import type { Db, Row } from "../../store/pg/mod.ts";
import { readEvents, readGlances } from "../../store/session_reads/mod.ts";
import {
  findSession,
  findSessionByKey,
  findSessionByName,
  listMessages,
} from "../../store/sessions/mod.ts";
import { readWatch } from "../../store/turns/mod.ts";
import { openTestFleet } from "../support/fleet.ts";
import { fillSessions } from "../support/session_rows.ts";

const COUNT = 100_000;

/** Tables that grow with the sessions, and are filled here. */
const LARGE = new Set([
  "sessions",
  "enqueued_messages",
  "turns",
  "turn_events",
  "session_logs",
  "notifications",
  "elicitations",
  "human_messages",
]);

/** A tenth of the sessions has something of each. */
const AROUND = `
  insert into turns (session_id, ordinal, kind, phase, ended_at, next_seq)
    select id, 1, 'start', 'ended', now(), 3 from sessions where id % 10 = 0;
  insert into turn_events (turn_id, seq, session_id, kind, payload, text)
    select t.id, n, t.session_id, 'text', '{}', 'said' from turns t, generate_series(1, 2) n;
  insert into enqueued_messages (session_id, content, position)
    select id, 'hello', 1 from sessions where id % 10 = 1 and status <> 'archived';
  insert into session_logs (session_id, content)
    select id, 'a line' from sessions where id % 10 < 2;
  insert into notifications (session_id, notification_type, stale, read)
    select id, 'session_failed', id % 1000 <> 5, id % 2000 = 5 from sessions where id % 10 = 5;
  insert into human_messages (session_id, author, channel, content)
    select id, 'ann', 'web_ui', 'do it' from sessions where id % 10 = 3;
  insert into elicitations (session_id, request_id, message, status, responded_at, expires_at)
    select id, 'q-' || id, 'Red?', case when id % 5000 = 4 then 'pending' else 'accept' end,
      case when id % 5000 = 4 then null else now() end, now() + interval '1 hour'
    from sessions where id % 10 = 4;
  update sessions set heartbeat_enabled = true where id % 2500 = 0;
  update sessions set slug = 'slug-' || id, idempotency_key = 'key-' || id,
    parent_session_id = id - 1 where id % 1000 = 17`;

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

/** Tables that a plan goes through from one end to the other. */
function scanned(plan: Plan): readonly string[] {
  const own = plan["Node Type"] === "Seq Scan" &&
      LARGE.has(plan["Relation Name"] ?? "")
    ? [String(plan["Relation Name"])]
    : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scanned)];
}

/** The same database, which notes what is read of it. */
function noting(
  db: Db,
  noted: (readonly [text: string, params: readonly unknown[]])[],
): Db {
  return {
    ...db,
    read<T extends Row>(text: string, params: readonly unknown[] = []) {
      noted.push([text, params]);
      return db.read<T>(text, params);
    },
    write: (text, params) => db.write(text, params),
    transaction: (fn) => db.transaction(fn),
    close: () => db.close(),
  };
}

Deno.test("what is read of 100,000 sessions is read by an index", async () => {
  await using opened = await openTestFleet();
  const { db } = opened.test;
  await fillSessions(db, COUNT);
  for (const statement of AROUND.split(";")) await db.write(statement);
  for (const table of LARGE) await db.write(`analyze ${table}`);
  const noted: [string, readonly unknown[]][] = [];
  const watched = noting(db, noted as never);
  const fleet = {
    ...opened.fleet,
    store: { ...opened.fleet.store, db: () => Promise.resolve(watched) },
  };
  const page = { order: "created_desc", page: 1, perPage: 25 } as const;
  const search = (question: object) => () =>
    searchFor(fleet, UNRESTRICTED, { ...page, ...question });
  const view = (id: number) => async () => {
    const session = await findSession(watched, id);
    ok(session !== undefined);
    await readSessionView(fleet, session);
  };
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    "newest": search({}),
    "newest, archived too": search({ showArchived: true }),
    "by state": search({ statuses: ["failed"] }),
    "by runtime": search({ agentRuntime: "gemini" }),
    "by genesis": search({ genesis: "slack" }),
    "by class, in rank": search({ priorityClass: "spot", order: "precedence" }),
    "off the board": search({ visibility: "off_board" }),
    "by text": search({ query: "issues/4242", showArchived: true }),
    "by text that none has": search({ query: "nothing like it" }),
    "one with a turn": view(10),
    "one with a queue": view(11),
    "one with a parent": view(17),
    "by slug": () => findSessionByName(watched, "slug-17"),
    "by key": () =>
      db.transaction((tx) =>
        findSessionByKey({ ...tx, read: watched.read }, "key-17")
      ),
    "at a glance": () => readGlances(watched, [10, 11, 12], { characters: 60 }),
    "a queue": () => listMessages(watched, 11),
    "a transcript": () => readEvents(watched, 10),
    "a question": () => findElicitation(watched, "q-14"),
    "questions of a session": () =>
      listElicitations(watched, { sessionId: 14 }, { limit: 25, offset: 0 }),
    "unread notices": () => countNotifications(watched, { isRead: false }),
    "what is waited for": () => readWatch(watched),
    "overdue questions": () => expireOverdue(watched, 100),
    "heartbeats": () => beatSessions(watched, 100),
  };
  const through: Record<string, readonly string[]> = {};
  for (const [what, read] of Object.entries(reads)) {
    noted.length = 0;
    await read();
    ok(noted.length > 0, `${what} reads nothing`);
    for (const [text, params] of noted) {
      const [row] = await db.read<{ "QUERY PLAN": readonly { Plan: Plan }[] }>(
        `explain (format json) ${text}`,
        params,
      );
      const tables = (row?.["QUERY PLAN"] ?? []).flatMap(({ Plan: plan }) =>
        scanned(plan)
      );
      if (tables.length > 0) {
        through[`${what}: ${text.replaceAll(/\s+/g, " ").slice(0, 120)}`] =
          tables;
      }
    }
  }
  deepEqual(through, {});
});
