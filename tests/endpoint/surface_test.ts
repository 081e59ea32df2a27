import { deepEqual, equal, ok } from "node:assert/strict";
import { describeTool } from "../../mcp/tools/tool.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { openEndpoint, ROOTS, type TestEndpoint } from "../support/endpoint.ts";
import { REFUSED_OF_OTHERS } from "./surface_of_others.ts";
import { REFUSED_OF_SELF, REFUSED_OF_SESSIONS } from "./surface_of_sessions.ts";
import type { Refusal } from "./surface_refusal.ts";
import { ASKED, type Asked, NARROWED, SELF_SESSION } from "./surface_table.ts";

const BASE = ["sessions", "notifications", "triggers", "health"];

function namesOf(
  isMeant: (asked: Asked) => boolean,
): readonly string[] {
  return Object.entries(ASKED).filter(([, asked]) => isMeant(asked))
    .map(([name]) => name).sort();
}

Deno.test("an address without scope lists the 23 base tools, each group its own, a read-only one what only reads", async () => {
  await using endpoint = await openEndpoint();
  const listed = async (query: string) =>
    (await endpoint.tools(query)).toSorted();
  const base = namesOf(({ group }) => BASE.includes(group));
  equal(base.length, 23);
  deepEqual(await listed(""), base);
  deepEqual(
    await listed("?tool_groups=self_session"),
    SELF_SESSION.toSorted(),
  );
  for (const group of [...BASE, "gate_decisions", "work_backlog"]) {
    deepEqual(
      await listed(`?tool_groups=${group}`),
      namesOf((one) => one.group === group),
    );
    deepEqual(
      await listed(`?tool_groups=${group}_readonly`),
      namesOf((one) => one.group === group && one.access === "read"),
    );
  }
});

/** Arguments of a tool's schema, as they are shown. */
// deno-lint-ignore no-explicit-any -- the wire form is looked at freely
function argumentsOf(shown: any) {
  const all = Object.keys(shown.inputSchema.properties);
  const required: string[] = shown.inputSchema.required;
  return {
    required: required.toSorted(),
    optional: all.filter((name) => !required.includes(name)).sort(),
    actions: shown.inputSchema.properties.action?.enum?.toSorted(),
  };
}

Deno.test("every tool takes the arguments and actions that were asked for, and no other but ours", () => {
  for (const [name, asked] of Object.entries(ASKED)) {
    const tool = TOOLS.find((one) => one.name === name);
    ok(tool !== undefined, name);
    deepEqual(
      [tool.group, tool.access, argumentsOf(describeTool(tool))],
      [asked.group, asked.access, {
        required: asked.required.toSorted(),
        optional: [...asked.optional, ...asked.ours ?? []].sort(),
        actions: asked.actions?.toSorted(),
      }],
      name,
    );
    const narrow = NARROWED[name];
    const own = tool.overrides?.self_session;
    if (narrow === undefined || own === undefined) {
      equal(narrow, undefined, `${name} has no form of its own`);
      continue;
    }
    deepEqual(argumentsOf(describeTool(own)), {
      required: narrow.required.toSorted(),
      optional: narrow.optional.toSorted(),
      actions: narrow.actions?.toSorted(),
    }, `${name} of self_session`);
  }
});

/** What the table's names stand for. */
async function fixture(
  { test: { db } }: TestEndpoint,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const add = async (name: string, columns: string, values: string) => {
    const [row] = await db.write<{ id: string }>(
      `insert into sessions (title, driven_by, agent_root_key, agent_runtime, lease_no, ${columns})
       values ('${name}', 'runner', 'gardener', 'command', 1, ${values}) returning id`,
    );
    known.set(`$${name}`, Number(row?.id));
    return Number(row?.id);
  };
  await add("resting", "status", "'needs_input'");
  await add("archived", "status, archived_at", "'archived', now()");
  await add("failed", "status, failure_reason", "'failed', 'it broke'");
  const running = await add("running", "status", "'running'");
  const asked = await add(
    "asked",
    "status, paused_by",
    "'needs_input', 'user'",
  );
  await db.write("insert into runners (name) values ('attic')");
  await db.write(
    `insert into turns (session_id, ordinal, kind, phase, runner_id, lease_no, leased_until)
     select $1, 1, 'start', 'delivered', id, 1, now() + interval '1 hour' from runners`,
    [running],
  );
  const [message] = await db.write<{ id: string }>(
    "insert into enqueued_messages (session_id, content, position) values ($1, 'hear me', 1) returning id",
    [asked],
  );
  known.set("$message", Number(message?.id));
  const [notice] = await db.write<{ id: string }>(
    `insert into notifications (session_id, notification_type) values ($1, 'session_failed') returning id`,
    [asked],
  );
  known.set("$notice", Number(notice?.id));
  return known;
}

/** All rows of all tables, as one digest each. */
async function digests(
  { test: { db } }: TestEndpoint,
): Promise<ReadonlyMap<string, string>> {
  const tables = await db.read<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const text = tables.map(({ name }) =>
    `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from "${name}" t`
  ).join(" union all ");
  const rows = await db.read<{ name: string; digest: string }>(text);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

Deno.test("every tool refuses what it is to refuse, says why, and changes nothing", async (t) => {
  await using endpoint = await openEndpoint({
    roots: { ...ROOTS, router: { name: "router" } },
  });
  const known = await fixture(endpoint);
  const filled = (value: unknown): unknown =>
    typeof value === "string" && known.has(value) ? known.get(value) : value;
  const refuse = async (
    name: string,
    [args, words, query]: Refusal,
    usual: string,
  ) => {
    const address = (query ?? usual).replace(
      /\$[a-z]+/,
      (word) => String(known.get(word)),
    );
    const given = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, filled(value)]),
    );
    const before = await digests(endpoint);
    const { isError, text } = await endpoint.call(address, name, given);
    const call = `${name} ${JSON.stringify(given).slice(0, 200)}`;
    ok(isError, `${call} was not refused: ${text.slice(0, 300)}`);
    ok(words.test(text), `${call} does not say ${words}: ${text}`);
    ok(!/Internal error/.test(text), `${call}: ${text}`);
    deepEqual(await digests(endpoint), before, `${call} changed something`);
  };
  const refused = { ...REFUSED_OF_SESSIONS, ...REFUSED_OF_OTHERS };
  deepEqual(Object.keys(refused).sort(), Object.keys(ASKED).sort());
  deepEqual(Object.keys(REFUSED_OF_SELF), Object.keys(NARROWED));
  for (const [name, { group }] of Object.entries(ASKED)) {
    await t.step(name, async () => {
      for (const one of refused[name] ?? []) {
        await refuse(name, one, `?tool_groups=${group}`);
      }
    });
  }
  for (const [name, refuses] of Object.entries(REFUSED_OF_SELF)) {
    await t.step(`${name} of self_session`, async () => {
      for (const one of refuses) {
        await refuse(name, one, "?tool_groups=self_session");
      }
    });
  }
});
