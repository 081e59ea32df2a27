/**
 * What removals and their previews ask for and read where the other side is our
 * own service: counted in requests and events, not in time.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { PostgresEventLog } from "../../../store/event_log/mod.ts";
import { openTestDb, type TestDb } from "../../../tests/support/test_db.ts";
import {
  at,
  chat,
  document,
  learning,
} from "../../../tests/support/cortex/engine_worlds.ts";
import { createDirectClient } from "../../client/client_direct.ts";
import { createLocalCortex } from "../../local/mod.ts";
import { readEngineSettings } from "../../settings.ts";
import { ROOT_NODE } from "../../words.ts";
import { createEngine } from "../engine.ts";

/** Another answer than the service's, for some requests. */
type Instead = (route: string) => Response | undefined;

/** An engine on the local service, and what it asked for and received. */
function engineOn({ db }: TestDb, scopeRoot: string) {
  const local = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  const seen = { requests: [] as string[], events: 0 };
  const how: { instead: Instead } = { instead: () => undefined };
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      async fetch(input, init) {
        const request = new Request(input, init);
        const route = `${request.method} ${new URL(request.url).pathname}`;
        seen.requests.push(route);
        const other = how.instead(route);
        if (other !== undefined) {
          await request.body?.cancel();
          return other;
        }
        const response = await local.fetch(request);
        const text = await response.text();
        seen.events += text.match(/"wal_offset"/g)?.length ?? 0;
        return new Response(text, response);
      },
    }),
    layout: readEngineSettings({ scopeRoot }).layout,
    isVisibleAtOnce: true,
    listsBelow: true,
  });
  const take = () => {
    const { requests, events } = seen;
    Object.assign(seen, { requests: [], events: 0 });
    return { requests, events };
  };
  return { engine, take, how };
}

const REMOVAL = "POST /v1/forget";
const GONE_WRONG: Instead = (route) =>
  route === REMOVAL
    ? Response.json({ error_code: "X" }, { status: 507 })
    : undefined;

/** Turns of a conversation. */
function turns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `turn ${index}`);
}

async function eventsOf(test: TestDb, root: string): Promise<number> {
  const rows = await test.db.read(
    "select 1 from cortex_events where root = $1",
    [root],
  );
  return rows.length;
}

Deno.test("forget() by a filter reads of each conversation one event, and removes all of its turns", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test, "org:talks");
  const meta = { agentId: "a", tags: ["old"] };
  await engine.store([
    ...[0, 1, 2].map((n) =>
      chat("ws:main", [`talk ${n}`, ...turns(299)], meta)
    ),
    chat("ws:main", turns(3), { agentId: "b" }),
  ]);
  const filters = [
    { agentId: "a" },
    { tagsAny: ["old"] },
    { kinds: ["conversation"], tagsAny: ["old"] },
  ] as const;
  for (const filter of filters) {
    take();
    const { matched } = await engine.forget({ filter, preview: true });
    const { requests, events } = take();
    equal(matched.length, 3);
    ok(events <= 4, `${events} events`);
    ok(requests.length <= 8, `${requests.length} requests`);
  }
  const report = await engine.forget({ filter: { tagsAny: ["old"] } });
  ok(take().events <= 4);
  deepEqual([report.forgotten.length, report.events], [3, 900]);
  deepEqual([report.left, report.failure], [[], undefined]);
  equal(await eventsOf(test, "org:talks"), 3);
});

Deno.test("forget() reads the turns where their number is not the conversation's, and leaves a stranger's", async () => {
  await using test = await openTestDb();
  const { engine } = engineOn(test, "org:odd");
  const meta = { agentId: "a" };
  const [lacking, mixed, hidden] = await engine.store(
    ["lacks", "mixed", "hidden"].map((word) =>
      chat("ws:main", [word, ...turns(4)], meta)
    ),
  );
  ok(lacking && mixed && hidden);
  const rowsOf = "from cortex_events where root = 'org:odd' and labels @> ";
  const labelOf = async (text: string) => {
    const [row] = await test.db.read(
      `select labels ->> 0 as label from cortex_events
       where root = 'org:odd' and content ->> 'text' = $1`,
      [text],
    );
    return String(row?.label);
  };
  const [lacks, mixes, hides] = await Promise.all(
    ["lacks", "mixed", "hidden"].map(labelOf),
  );
  // The first turn is gone.
  await test.db.write(
    "delete from cortex_events where root = 'org:odd' and content ->> 'text' = 'lacks'",
  );
  // Somebody else has put the label on events of theirs, behind and before.
  const strange = (label: string, seq: string) =>
    test.db.write(
      `insert into cortex_events (root, seq, id, scope, actor, modality, kind,
         labels, content, context, observed_at, recorded_at, terms)
       overriding system value
       select root, ${seq}, gen_random_uuid(), scope, 'user:x', modality, kind,
         jsonb_build_array($1::text, labels ->> 2, labels ->> 1), jsonb_build_object(
           'kind', 'message', 'role', 'user', 'text', 'a stranger''s'),
         context, observed_at, recorded_at, terms
       ${rowsOf} jsonb_build_array($1::text) limit 1`,
      [label],
    );
  await strange(String(mixes), "1000000");
  await strange(String(hides), "-1");
  const filter = { kinds: ["conversation"] } as const;
  const report = await engine.forget({ filter });
  deepEqual(
    [...report.forgotten].sort(),
    [lacking.id, mixed.id, hidden.id].sort(),
  );
  equal(report.events, 14);
  const left = await test.db.read(
    "select content ->> 'text' as text from cortex_events where root = 'org:odd'",
  );
  deepEqual(left.map(({ text }) => text), ["a stranger's", "a stranger's"]);
  ok(lacks !== mixes);
});

Deno.test("a person with many scopes is looked through by few requests, before an erasure and before a forgetting", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test, "org:many");
  const other = engineOn(test, "org:many2");
  await other.engine.store([learning("agent:a1", "Somebody else's")]);
  await engine.store([
    ...Array.from(
      { length: 60 },
      (_, n) => learning(`agent:a${n}`, `It leaks ${n}`, { agentId: "a" }),
    ),
    learning("agent:a1/agent:b", "The lid fits", { agentId: "b" }),
    document("agent:a2", "The cellar is cold", { agentId: "a" }),
  ]);
  take();
  const tree = { at: ROOT_NODE, descendants: true, preview: true } as const;
  const whole = await engine.erase(tree);
  const looked = take();
  ok(looked.requests.length <= 4, `${looked.requests.length} requests`);
  ok(looked.events <= 2, `${looked.events} events`);
  equal(whole.scopes.length, 62);
  ok(whole.scopes.every(({ events }) => events === 1));
  deepEqual([whole.isProven, whole.failure], [false, undefined]);
  const node = await engine.erase({ ...tree, at: at("agent:a1") });
  deepEqual(node.scopes.map(({ events }) => events), [1, 1]);

  take();
  const filter = { agentId: "a" };
  const preview = await engine.forget({ filter, preview: true });
  const found = take();
  equal(preview.matched.length, 61);
  ok(found.requests.length <= 4, `${found.requests.length} requests`);
  equal(found.events, 61);
  const report = await engine.forget({ filter });
  const { requests } = take();
  equal(report.forgotten.length, 61);
  // What is removed names its scope, and two looks are enough for all.
  equal(requests.filter((one) => one === REMOVAL).length, 61);
  ok(requests.length <= 61 + 8, `${requests.length} requests`);
  equal(await eventsOf(test, "org:many"), 1);
  equal(await eventsOf(test, "org:many2"), 1);
});

Deno.test("forget() that fails half-way says what is gone and what is left", async () => {
  await using test = await openTestDb();
  const { engine, how } = engineOn(test, "org:half");
  const stored = await engine.store(
    ["a", "b", "c"].map((id) => learning(`agent:${id}`, `It leaks ${id}`)),
  );
  const ids = stored.map(({ id }) => id);
  let removals = 0;
  how.instead = (route) =>
    route === REMOVAL && ++removals > 1 ? GONE_WRONG(route) : undefined;
  const report = await engine.forget({ ids });
  deepEqual([report.forgotten.length, report.left.length], [1, 2]);
  equal(report.events, 1);
  ok(report.failure?.error instanceof Error);
  equal(await eventsOf(test, "org:half"), 2);
  how.instead = () => undefined;
  const rest = await engine.forget({ ids });
  deepEqual([rest.matched.length, rest.left, rest.failure], [2, [], undefined]);
});

Deno.test("erase() tells what is gone where the look afterwards fails", async () => {
  await using test = await openTestDb();
  const { engine, how } = engineOn(test, "org:blind");
  await engine.store([
    learning("agent:a", "It leaks"),
    learning("agent:a/agent:b", "It leaks"),
  ]);
  let isErased = false;
  how.instead = (route) => {
    isErased ||= route === "POST /v1/erasures";
    return isErased && route === "GET /v1/scopes/list"
      ? Response.json({ error_code: "X" }, { status: 507 })
      : undefined;
  };
  const request = { at: at("agent:a"), descendants: true };
  const report = await engine.erase(request);
  equal(report.isProven, false);
  deepEqual(report.scopes.map(({ events }) => events), [undefined, undefined]);
  equal(report.failure?.path, "org:blind");
  how.instead = () => undefined;
  const again = await engine.erase(request);
  deepEqual([again.isProven, again.failure], [true, undefined]);
});
