/** Bounds, pages and conditions of root data, through the endpoint. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

/** An endpoint, and calls of one session of the gardener. */
async function openGarden() {
  const endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  return {
    endpoint,
    call: (name: string, args: Record<string, unknown> = {}) =>
      endpoint.call(query, name, { collection: "free", ...args }),
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

async function rest(endpoint: TestEndpoint, path: string) {
  const response = await endpoint.fetch(`/api/v1/root_data/${path}`, {
    headers: { "x-api-key": API_KEY },
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("[case 69] filters and data of 4 MB are refused in few words, over REST too", async () => {
  await using garden = await openGarden();
  const large = { a: "x".repeat(3_900_000) };
  const searched = await garden.call("search_root_records", { filter: large });
  ok(searched.isError);
  match(searched.text, /filter is 3900008 bytes of JSON; the limit is 8192/);
  const put = await garden.call("put_root_record", { key: "k", data: large });
  match(put.text, /Data is 3900008 bytes/);
  for (const { text } of [searched, put]) ok(text.length < 300);
  const filter = encodeURIComponent(JSON.stringify({ a: "x".repeat(9_000) }));
  const { status, body } = await rest(
    garden.endpoint,
    `records?namespace=gardener&collection=free&filter=${filter}`,
  );
  equal(status, 413);
  ok(JSON.stringify(body).length < 400);
});

Deno.test("[case 70] a filter is repeated only where it is short", async () => {
  await using garden = await openGarden();
  const short = await garden.call("search_root_records", { filter: { a: 1 } });
  deepEqual(short.data.filter, { a: 1 });
  const filter = { a: "x".repeat(200) };
  const long = await garden.call("search_root_records", { filter });
  ok(!("filter" in long.data));
  ok(!long.text.includes("xxx"));
});

Deno.test("[case 70] what is refused is repeated up to 200 characters", async () => {
  await using garden = await openGarden();
  const long = "x".repeat(100_000);
  const calls: [string, Record<string, unknown>][] = [
    ["get_root_record", { collection: long, key: "k" }],
    ["get_root_record", { key: long }],
    ["search_root_records", { key_prefix: long }],
    ["search_root_records", { cursor: long }],
    ["search_root_records", { filter: { [`$${long.slice(0, 8_000)}`]: 1 } }],
    ["put_root_record", { key: "k", data: {}, if_updated_at: long }],
    ["put_root_record", { key: "k", data: { [long.slice(0, 9_000)]: "\0" } }],
    ["append_root_record", { collection: long, data: {} }],
  ];
  for (const [name, args] of calls) {
    const { text } = await garden.call(name, args);
    ok(!text.includes("x".repeat(201)), `${name}: ${text.length}`);
  }
});

Deno.test("[case 72] what is sent is bounded: pages by bytes, texts without indentation", async () => {
  await using garden = await openGarden();
  // Indented, each of these would be 35 times as long.
  const deep = (n: number) => ({ a: Array(5_000).fill(1), n });
  for (let n = 0; n < 6; n++) {
    await garden.call("append_root_record", { data: deep(n) });
  }
  const seen: number[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages === 0 || cursor !== null; pages++) {
    const page = await garden.call("search_root_records", {
      order: "oldest",
      cursor,
    });
    ok(page.text.length < 40 * 1024 + 1_000);
    deepEqual(JSON.parse(page.text), page.data);
    equal(page.text, JSON.stringify(page.data));
    const { records, truncated, next_cursor, note } = page.data;
    for (const one of records) seen.push(one.data.n);
    equal(truncated, next_cursor !== null);
    if (truncated) match(note, /stopped at 40960 bytes.*pass next_cursor/);
    cursor = next_cursor;
  }
  deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  const all = await garden.call("search_root_records", { max_bytes: 204_800 });
  deepEqual([all.data.returned, all.data.truncated], [6, false]);
  const one = await garden.call("search_root_records", { max_bytes: 1 });
  deepEqual([one.data.returned, one.data.truncated], [1, true]);
  equal(one.data.next_offset, 1);
  const more = await garden.call("search_root_records", { max_bytes: 204_801 });
  match(more.text, /max_bytes must be/);
});

Deno.test("[case 72] the budget counts keys and all, to the byte", async () => {
  await using garden = await openGarden();
  for (const n of [1, 2, 3]) {
    const key = `${n}${"\u0001".repeat(199)}`;
    await garden.call("put_root_record", { key, data: {} });
  }
  const page = await garden.call("search_root_records", {});
  const sizes = page.data.records.map((one: unknown) =>
    JSON.stringify(one).length + 1
  );
  const two = sizes[0] + sizes[1];
  const returned = async (max_bytes: number) =>
    (await garden.call("search_root_records", { max_bytes })).data.returned;
  deepEqual([await returned(two), await returned(two - 1)], [2, 1]);
});

Deno.test("[case 71] REST pages by cursor, too", async () => {
  await using garden = await openGarden();
  for (const n of [1, 2, 3]) {
    await garden.call("append_root_record", { data: { n } });
  }
  const path =
    "records?namespace=gardener&collection=free&order=oldest&limit=2";
  const first = await rest(garden.endpoint, path);
  const cursor = encodeURIComponent(first.body.next_cursor);
  const second = await rest(garden.endpoint, `${path}&cursor=${cursor}`);
  deepEqual(
    [...first.body.records, ...second.body.records].map((one) => one.data.n),
    [1, 2, 3],
  );
  equal(second.body.next_cursor, null);
  equal(second.body.next_offset, null);
  const both = await rest(garden.endpoint, `${path}&cursor=${cursor}&offset=1`);
  equal(both.status, 422);
});

Deno.test("[case 73] put and delete take the updated_at that was read", async () => {
  await using garden = await openGarden();
  const put = await garden.call("put_root_record", {
    key: "k",
    data: { n: 1 },
    if_absent: true,
  });
  const { data } = await garden.call("get_root_record", { key: "k" });
  equal(data.record.updated_at, put.data.record.updated_at);
  const changed = await garden.call("put_root_record", {
    key: "k",
    data: { n: 2 },
    if_updated_at: data.record.updated_at,
  });
  equal(changed.data.result, "replaced");
  const now = changed.data.record.updated_at;
  const stale = { key: "k", if_updated_at: data.record.updated_at };
  for (
    const refused of [
      await garden.call("put_root_record", { ...stale, data: {} }),
      await garden.call("delete_root_record", stale),
      await garden.call("put_root_record", {
        key: "k",
        data: {},
        if_absent: true,
      }),
    ]
  ) {
    ok(refused.isError);
    ok(refused.text.includes(`"${now}"`), refused.text);
  }
  const both = await garden.call("put_root_record", {
    ...stale,
    data: {},
    if_absent: true,
  });
  match(both.text, /not both/);
  const gone = await garden.call("delete_root_record", {
    key: "k",
    if_updated_at: now,
  });
  equal(gone.data.result, "deleted");
});

Deno.test("[case 74] keys are listed by prefix and counted without records", async () => {
  await using garden = await openGarden();
  for (const key of ["a:1", "a:2", "b:1"]) {
    await garden.call("put_root_record", { key, data: {} });
  }
  const page = await garden.call("search_root_records", { key_prefix: "a:" });
  deepEqual([page.data.total, page.data.returned], [2, 2]);
  equal(page.data.key_prefix, "a:");
  const count = await garden.call("search_root_records", {
    key_prefix: "a:",
    count_only: true,
  });
  const { total, returned, records, has_more, next_cursor } = count.data;
  deepEqual([total, returned, records, has_more, next_cursor], [
    2,
    0,
    [],
    false,
    null,
  ]);
  const odd = await garden.call("search_root_records", {
    count_only: true,
    offset: 1,
  });
  match(odd.text, /leave out cursor and offset/);
});

Deno.test("a filter that looks like operators is told that there are none", async () => {
  await using garden = await openGarden();
  await garden.call("append_root_record", { data: { q: 3 } });
  const { data } = await garden.call("search_root_records", {
    filter: { q: { $gt: 2 } },
  });
  match(
    data.note,
    /no operators.*"\$gt" was looked for as the name of a member/,
  );
  const plain = await garden.call("search_root_records", {
    filter: { q: { gt: 2 } },
  });
  ok(!("note" in plain.data));
});

Deno.test("[case 79] a session that was deleted reads and deletes nothing", async () => {
  await using garden = await openGarden();
  await garden.call("put_root_record", { key: "k", data: {} });
  await garden.endpoint.test.db.write("delete from sessions");
  for (
    const [name, args] of [
      ["get_root_record", { key: "k" }],
      ["search_root_records", {}],
      ["delete_root_record", { key: "k" }],
      ["put_root_record", { key: "k", data: {} }],
      ["append_root_record", { data: {} }],
    ] as const
  ) {
    const { isError, text } = await garden.call(name, args);
    ok(isError, name);
    match(text, /Session \d+ no longer exists/);
  }
});

Deno.test("[case 79] the list of a deleted session is refused, too", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "list_root_collections");
  await endpoint.test.db.write("delete from sessions");
  const { text } = await endpoint.call(query, "list_root_collections");
  match(text, /which does not exist/);
});

Deno.test("[case 80] the list says what cannot be written, and every limit", async () => {
  await using endpoint = await openEndpoint({
    roots: {
      r: {
        name: "r",
        data_collections: {
          bad: { schema: { $ref: "https://example.org/x.json" } },
          good: { schema: { type: "object" } },
        },
      },
    },
  });
  const query = await sessionQuery(endpoint, "r");
  await endpoint.call(query, "put_root_record", {
    collection: "good",
    key: "k",
    data: {},
  });
  await endpoint.call(query, "delete_root_record", {
    collection: "good",
    key: "k",
  });
  const { data } = await endpoint.call(query, "list_root_collections");
  const [bad, good] = data.collections;
  equal(bad.writable, false);
  match(bad.not_writable_because, /^Its declared schema cannot be used: /);
  deepEqual([good.writable, good.records], [true, 0]);
  ok(!("not_writable_because" in good));
  ok(good.last_write_at !== null);
  equal(data.collections_holding_records, 0);
  deepEqual(data.limits, {
    data_bytes_per_record: 32_768,
    data_levels: 32,
    records_per_collection: 10_000,
    collections_holding_records: 25,
    writes_per_collection_per_minute: 60,
    key_characters: 200,
    collection_name_characters: 200,
    retention_days: 3_650,
    search_page_records: 100,
    search_page_records_default: 20,
    search_page_bytes: 204_800,
    search_page_bytes_default: 40_960,
    search_filter_bytes: 8_192,
    search_filter_values: 256,
  });
});

Deno.test("get and delete say that a collection is not declared, as search does", async () => {
  await using garden = await openGarden();
  for (const name of ["get_root_record", "delete_root_record"]) {
    const odd = await garden.call(name, { collection: "never", key: "k" });
    match(odd.text, /holds no records, and the root does not declare it/);
    const known = await garden.call(name, { key: "k" });
    match(known.text, /holds no records$/);
    const blank = await garden.call(name, { key: " " });
    equal(blank.text, "Key must not be blank");
  }
});

Deno.test.each([
  [
    5,
    /namespace 5, which is not valid: data_namespace is a number, not text; correct data_namespace/,
  ],
  [true, /namespace true, .*is a boolean, not text; correct data_namespace/],
  [
    "Upper",
    /namespace "Upper", which is not valid: it holds "U"; correct data_namespace/,
  ],
  [
    "x".repeat(201),
    /"x{200}.{1,40}", which is not valid: it is too long; correct/,
  ],
])("a namespace of %j is refused with its fault", async (namespace, fault) => {
  await using endpoint = await openEndpoint({
    roots: { r: { name: "r", data_namespace: namespace } },
  });
  const query = await sessionQuery(endpoint, "r");
  const { text } = await endpoint.call(query, "list_root_collections");
  match(text, fault as RegExp);
});

Deno.test("a root whose name is no namespace is told to set one", async () => {
  await using endpoint = await openEndpoint({
    roots: { Upper: { name: "Upper" } },
  });
  const query = await sessionQuery(endpoint, "Upper");
  const { text } = await endpoint.call(query, "list_root_collections");
  match(text, /comes from the root's name; set data_namespace/);
});

Deno.test("two session ids that differ name no session", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const { text } = await endpoint.call(
    `${query}&session_id=999`,
    "list_root_collections",
  );
  match(text, /names no session/);
  const id = new URLSearchParams(query).get("session_id");
  const same = await endpoint.call(
    `${query}&session_id=${id}`,
    "list_root_collections",
  );
  ok(!same.isError);
});
