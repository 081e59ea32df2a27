/**
 * Folded pages have of each conversation the first turn, by whichever way
 * labels are looked for, and say of the whole what its turns say.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import type {
  LogEvent,
  LogListRequest,
  NewLogEvent,
} from "../../cortex/local/port.ts";
import { entryOf, NO_FILTER } from "../../tests/support/log_entry.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { PostgresEventLog } from "./event_log.ts";

const SCOPE = "org:a/ws:main";

function turn(
  talk: string | undefined,
  at: number,
  more: Partial<NewLogEvent> = {},
): NewLogEvent {
  const text = `${at} 🍏`.repeat(at % 7);
  return {
    scope: SCOPE,
    actor: "user:a",
    modality: "conversation",
    kind: "message",
    labels: talk === undefined ? [] : [talk, at % 3 === 0 ? "third" : "other"],
    content: { kind: "message", role: at % 2 === 0 ? "user" : "tool", text },
    context: {},
    index: entryOf(text),
    observedAt: undefined,
    idempotencyKey: undefined,
    bodyHash: text,
    ...more,
  };
}

/** A log of conversations that interleave, with strangers among them. */
async function openLog() {
  const test = await openTestDb();
  const log = new PostgresEventLog(() => Promise.resolve(test.db));
  const events = Array.from({ length: 300 }, (_, at) => {
    // Long ones first, then many of a single turn.
    const talk = at < 150 ? `long ${at % 3}` : `short ${at}`;
    return at % 50 === 7
      ? turn(undefined, at)
      : at % 50 === 9
      ? turn(talk, at, { modality: "observation" })
      : turn(talk, at);
  });
  ok((await log.append(events)).ok);
  ok((await log.append([turn("long 1", 1, { scope: `${SCOPE}/x:y` })])).ok);
  const all = (request: Partial<LogListRequest>) => allPages(log, request);
  return { log, all, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };
}

async function allPages(
  log: PostgresEventLog,
  request: Partial<LogListRequest>,
): Promise<readonly LogEvent[]> {
  const found: LogEvent[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await log.list({
      reach: { kind: "exact", scope: SCOPE },
      filter: NO_FILTER,
      limit: 500,
      ...request,
      before,
    });
    found.push(...page.events);
    before = page.events.at(-1)?.offset;
    if (!page.hasMore) return found;
  }
}

function isTurn({ modality, labels }: LogEvent): boolean {
  return modality === "conversation" && labels.length > 0;
}

Deno.test("a folded listing has the first turn of each conversation, whatever it is narrowed by", async () => {
  await using opened = await openLog();
  const { all } = opened;
  const whole = await all({});
  const firsts = whole.filter((event, at) =>
    !isTurn(event) ||
    !whole.slice(at + 1).some((older) =>
      isTurn(older) && older.labels[0] === event.labels[0]
    )
  );
  const cases = [[], ["third"], ["other"], ["third", "other"], ["nobody's"]];
  for (const labels of [...cases, ["long 0", "long 2", "short 200"]]) {
    const wanted = firsts.filter((event) =>
      labels.length === 0 || event.labels.some((one) => labels.includes(one))
    );
    for (const limit of [4, 500]) {
      const filter = { ...NO_FILTER, labels };
      const folded = await all({ filter, limit, textLimit: 9, foldWith: [] });
      deepEqual(
        folded.map(({ id }) => id),
        wanted.map(({ id }) => id),
        `${labels} by ${limit}`,
      );
    }
  }
});

Deno.test("a fold counts its turns, and has the beginning and those asked for", async () => {
  await using opened = await openLog();
  const { all } = opened;
  const whole = await all({ filter: { ...NO_FILTER, labels: ["long 1"] } });
  const turns = whole.filter(isTurn).toReversed();
  const asked = turns.at(-2);
  ok(asked);
  const [first, ...others] = (await all({
    filter: { ...NO_FILTER, labels: ["long 1"] },
    textLimit: 20,
    foldWith: [asked.id, "evt_none"],
  })).filter(isTurn);
  deepEqual(others, []);
  equal(first?.id, turns[0]?.id);
  const textOf = (event: LogEvent) => [...String(event.content.text)];
  const roleOf = (event: LogEvent) => [...String(event.content.role)];
  const tallyOf = (some: readonly LogEvent[]) => ({
    events: some.length,
    textLength: some.flatMap(textOf).length,
    roleLength: some.flatMap(roleOf).length,
  });
  const { parts = [], ...tally } = first?.fold ?? {};
  deepEqual(tally, tallyOf(turns));
  for (const { before, ...part } of parts) {
    const place = turns.findIndex(({ id }) => id === part.id);
    deepEqual(before, tallyOf(turns.slice(0, place)));
    deepEqual(
      textOf(part).join(""),
      textOf(turns[place] ?? part).slice(0, 20).join(""),
    );
  }
  const places = parts.map(({ id }) => turns.findIndex((one) => one.id === id));
  equal(places.at(-1), turns.length - 2);
  // Each takes seven characters and more, with what stands in front of it.
  ok(places.length <= 5);
  deepEqual(places.slice(0, -1), [...places.keys()].slice(0, -1));
});
