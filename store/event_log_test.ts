import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openTestDb } from "../tests/support/test_db.ts";
import type { Db } from "./db.ts";
import { PostgresEventLog } from "./event_log.ts";
import type { EventInput } from "./event_log_types.ts";

const NO_FILTER = {
  labels: [],
  actors: [],
  modality: undefined,
  since: undefined,
  until: undefined,
  recordedBy: undefined,
};

function event(text: string, more: Partial<EventInput> = {}): EventInput {
  return {
    scope: "org:a/ws:main",
    actor: "user:alice",
    modality: "conversation",
    kind: "text",
    labels: [],
    content: { kind: "text", text },
    context: {},
    text,
    observedAt: undefined,
    idempotencyKey: undefined,
    bodyHash: text,
    ...more,
  };
}

function logOn(db: Db): PostgresEventLog {
  return new PostgresEventLog(() => Promise.resolve(db));
}

Deno.test("append() stores and list() gives back", async () => {
  await using test = await openTestDb();
  const log = logOn(test.db);
  const outcome = await log.append([
    event("one", { labels: ["a,b", "c"] }),
    event("two"),
  ]);
  ok(outcome.ok);
  const page = await log.list({
    reach: { kind: "exact", scope: "org:a/ws:main" },
    filter: NO_FILTER,
    before: undefined,
    limit: 10,
  });
  deepEqual(page.events.map((one) => one.content.text), ["two", "one"]);
  deepEqual(page.events[1]?.labels, ["a,b", "c"]);
  const labelled = await log.list({
    reach: { kind: "exact", scope: "org:a/ws:main" },
    filter: { ...NO_FILTER, labels: ["a,b"] },
    before: undefined,
    limit: 10,
  });
  deepEqual(labelled.events.map((one) => one.content.text), ["one"]);
  const found = await log.search({
    reach: { kind: "exact", scope: "org:a/ws:main" },
    filter: NO_FILTER,
    query: "TWO?",
    limit: 10,
  });
  deepEqual(found.events.map((one) => one.content.text), ["two"]);
  equal(found.isCut, false);
  match(String(page.events[0]?.id), /^evt_[0-9a-f]{32}$/);
});
