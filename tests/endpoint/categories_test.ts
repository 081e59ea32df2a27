import { deepEqual, equal, match } from "node:assert/strict";
import { readCategories } from "../../store/around_sessions/mod.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { addSession } from "../support/session_rows.ts";

const TOOL = "manage_categories";

async function board(endpoint: TestEndpoint): Promise<string[]> {
  const { text } = await endpoint.call("", TOOL, { action: "list" });
  return text.split("\n").filter((line) => line.startsWith("- "))
    .map((line) => line.replaceAll("*", "").replace(/^- |:.*$/g, ""));
}

async function make(endpoint: TestEndpoint, name: string): Promise<number> {
  const { data, text, isError } = await endpoint.call("", TOOL, {
    action: "create",
    name,
  });
  equal(isError, false, text);
  return data.category_id;
}

Deno.test("categories are made, changed, put in order and deleted, with their sessions left", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const call = (args: Record<string, unknown>) => endpoint.call("", TOOL, args);
  const a = await make(endpoint, "  Alpha ");
  const b = await make(endpoint, "Beta");
  const c = await make(endpoint, "Gamma");
  deepEqual(await board(endpoint), [
    "1. Uncategorized",
    `2. Alpha (ID`,
    `3. Beta (ID`,
    `4. Gamma (ID`,
  ]);
  // Those that are named take each other's places; Beta stays where it is.
  await call({
    action: "reorder",
    ids: [String(c), String(a), "uncategorized"],
  });
  deepEqual((await board(endpoint)).map((line) => line.split(" ")[1]), [
    "Gamma",
    "Alpha",
    "Beta",
    "Uncategorized",
  ]);
  const id = await addSession(db);
  const set = await call({
    action: "set_session_category",
    session_id: String(id),
    category_id: b,
  });
  equal(set.data.category_id, b);
  const updated = await call({
    action: "update",
    category_id: b,
    name: "beta",
    description: "x\n## Forged",
    is_frozen: true,
  });
  match(updated.text, /\*\*Sessions:\*\* 1/);
  equal(/^## Forged/m.test(updated.text), false);
  match(
    (await call({ action: "list" })).text,
    /beta\*\* \(ID: 2\), frozen: 1 s/,
  );
  const cleared = await call({
    action: "update",
    category_id: b,
    description: " ",
  });
  match(cleared.text, /\*\*Description:\*\* none/);
  match(cleared.text, /\*\*Frozen:\*\* yes/);
  match((await call({ action: "delete", category_id: b })).text, /Deleted/);
  const { uncategorized, categories } = await readCategories(db);
  deepEqual(
    [categories.map((one) => one.name), uncategorized.sessions],
    [["Gamma", "Alpha"], 1],
  );
  equal(
    (await call({
      action: "set_session_category",
      session_id: String(id),
      category_id: a,
    })).isError,
    false,
  );
  const none = await call({
    action: "set_session_category",
    session_id: String(id),
    category_id: 0,
  });
  equal(none.data.category_id, null);
});

Deno.test("a refusal of categories changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const a = await make(endpoint, "Alpha");
  const b = await make(endpoint, "Beta");
  await make(endpoint, "caf\u00e9");
  const id = String(await addSession(db));
  const other = String(await addSession(db, { agent_root_key: "librarian" }));
  const fence = "?allowed_agent_roots=gardener";
  const state = () =>
    db.read(
      `select (select jsonb_agg(to_jsonb(c) order by id) from categories c) as c,
         (select jsonb_agg(to_jsonb(s) order by id) from sessions s) as s,
         (select to_jsonb(a) from app_settings a) as a, (select count(*) from session_logs) as l`,
    );
  const before = await state();
  const refusals: [string, Record<string, unknown>, RegExp][] = [
    ["", { action: "create" }, /needs name/],
    ["", { action: "create", name: " " }, /name is blank/],
    ["", { action: "create", name: "x".repeat(101) }, /100 characters/],
    ["", { action: "create", name: "ALPHA" }, /already/],
    ["", { action: "create", name: "Cafe\u0301" }, /"Caf\u00e9" already/],
    ["", { action: "create", name: "Uncategorized" }, /already/],
    ["", { action: "create", name: "a\u0000" }, /NUL/],
    ["", {
      action: "create",
      name: "n",
      description: "x".repeat(1_001),
    }, /1,000/],
    ["", { action: "update", category_id: a }, /name, description or is_f/],
    ["", { action: "update", category_id: a, name: "beta" }, /already/],
    ["", { action: "update", category_id: 99, name: "n" }, /does not exist/],
    ["", { action: "update", name: "n" }, /needs category_id/],
    ["", { action: "delete", category_id: 99 }, /does not exist/],
    ["", { action: "reorder" }, /needs ids/],
    ["", { action: "reorder", ids: [] }, /needs ids/],
    ["", { action: "reorder", ids: [String(a), String(a)] }, /twice/],
    ["", { action: "reorder", ids: [String(a), "99"] }, /99 does not exist/],
    ["", { action: "reorder", ids: ["first"] }, /numbers of categories/],
    ["", { action: "set_session_category", category_id: a }, /session_id/],
    ["", { action: "set_session_category", session_id: id }, /0 means none/],
    ["", {
      action: "set_session_category",
      session_id: id,
      category_id: 99,
    }, /99 does not exist/],
    ["", {
      action: "set_session_category",
      session_id: "999",
      category_id: a,
    }, /not found/],
    ["", { action: "paint" }, /list, create/],
    [fence, { action: "create", name: "n" }, /of all roots/],
    [fence, { action: "delete", category_id: b }, /of all roots/],
    [fence, { action: "reorder", ids: [String(b)] }, /of all roots/],
    [fence, {
      action: "set_session_category",
      session_id: other,
      category_id: a,
    }, /belongs to "librarian"/],
  ];
  for (const [query, args, says] of refusals) {
    const answer = await endpoint.call(query, TOOL, args);
    equal(answer.isError, true, JSON.stringify(args));
    match(answer.text, says);
    deepEqual(await state(), before, JSON.stringify(args));
  }
});

Deno.test("many who change categories at once leave each place to one", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = String(await addSession(db));
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const made = await make(endpoint, `c-${index}`);
      await endpoint.call("", TOOL, {
        action: "reorder",
        ids: [String(made), "uncategorized"],
      });
      // The category may be deleted by another while the session goes there.
      const set = await endpoint.call("", TOOL, {
        action: "set_session_category",
        session_id: id,
        category_id: Math.max(1, made - 1),
      });
      if (set.isError) match(set.text, /does not exist/);
      if (index % 3 === 0) {
        await endpoint.call("", TOOL, { action: "delete", category_id: made });
      }
    }),
  );
  const { categories, uncategorized } = await readCategories(db);
  const places = [
    ...categories.map(({ position }) => position),
    uncategorized.position,
  ];
  equal(new Set(places).size, places.length, String(places));
  equal(categories.length, 8);
});
