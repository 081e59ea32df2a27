import { deepEqual, equal, match } from "node:assert/strict";
import { recordLink } from "../../mcp/pages/records/record_page.ts";
import { openEndpoint, sessionQuery } from "../support/endpoint.ts";
import { ORIGIN, postForm, signIn } from "../support/pages.ts";
import { makePeople } from "../support/people.ts";

const NAMESPACE = "gardener";
const PATH = "/supervisor/agent_root_records/edit";

/** A server with a record, and how people change it. */
async function openRecord(collection = "notes") {
  const stack = new AsyncDisposableStack();
  const people = stack.use(await makePeople());
  const endpoint = stack.use(await openEndpoint({ usersFile: people.path }));
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "put_root_record", {
    collection,
    key: "tulips",
    data: { title: "Red" },
  });
  const row = async () => {
    const [one] = await endpoint.test.db.read(
      `select r.id::int as id, r.data, r.updated_at, s.title, s.visibility
       from agent_root_records r join sessions s on s.id = r.writing_session_id`,
    );
    return one;
  };
  const first = await row();
  const address = {
    namespace: NAMESPACE,
    collection,
    id: Number(first?.id),
  };
  const page = async (cookie: string) => {
    const response = await endpoint.fetch(recordLink(address), {
      headers: { cookie },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      version: /name="if_updated_at" value="([^"]*)"/.exec(text)?.[1] ?? "",
    };
  };
  const send = async (
    cookie: string,
    fields: Readonly<Record<string, string>>,
  ) => {
    const response = await postForm(endpoint, PATH, {
      ...address,
      id: String(address.id),
      do: "save",
      ...fields,
    }, { headers: { origin: ORIGIN, cookie } });
    return { status: response.status, text: await response.text() };
  };
  return {
    endpoint,
    people,
    query,
    row,
    page,
    send,
    as: (name: "ann" | "bob" | "rita") => signIn(endpoint, people.keys[name]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("a person changes a record, and it names a writer of theirs", async () => {
  await using bench = await openRecord();
  const ann = await bench.as("ann");
  const { text, version } = await bench.page(ann);
  match(text, /&quot;title&quot;: &quot;Red&quot;/);
  const { status } = await bench.send(ann, {
    data: '{"title": "Blue", "n": 1}',
    if_updated_at: version,
  });
  equal(status, 303);
  const row = await bench.row();
  deepEqual([row?.data, row?.title, row?.visibility], [
    { title: "Blue", n: 1 },
    "Written on the pages by ann",
    "hidden",
  ]);
  // The same writer again, and another's is another.
  for (const name of ["ann", "bob"] as const) {
    const cookie = await bench.as(name);
    const { version } = await bench.page(cookie);
    const fields = { data: `{"title":"${name}"}`, if_updated_at: version };
    equal((await bench.send(cookie, fields)).status, 303);
  }
  const writers = await bench.endpoint.test.db.read<{ title: string }>(
    "select title from sessions where idempotency_key like 'pages-writer%' order by id",
  );
  deepEqual(writers.map(({ title }) => title), [
    "Written on the pages by ann",
    "Written on the pages by bob",
  ]);
});

Deno.test("the same limits hold: schema, form, and what somebody wrote meanwhile", async () => {
  await using bench = await openRecord();
  const ann = await bench.as("ann");
  const { version } = await bench.page(ann);
  const before = await bench.row();
  for (
    const [data, words] of [
      ["{", /Data is a JSON object/],
      ["[1]", /Data is a JSON object: it is no object/],
      ['{"n": 1}', /does not match the schema of &quot;notes&quot;.*title/],
      [`{"title": "${"x".repeat(40_000)}"}`, /bytes|KB/],
    ] as const
  ) {
    const { status, text } = await bench.send(ann, {
      data,
      if_updated_at: version,
    });
    equal(status, 409);
    match(text, words);
    deepEqual(await bench.row(), before);
  }
  await bench.endpoint.call(bench.query, "put_root_record", {
    collection: "notes",
    key: "tulips",
    data: { title: "Meanwhile" },
  });
  const late = await bench.send(ann, {
    data: '{"title": "Late"}',
    if_updated_at: version,
  });
  equal(late.status, 409);
  match(late.text, /&quot;title&quot;: &quot;Late&quot;/);
  const gone = await bench.send(ann, { do: "delete", if_updated_at: version });
  equal(gone.status, 409);
  deepEqual((await bench.row())?.data, { title: "Meanwhile" });
});

Deno.test("a person deletes a record; it counts as a write, and is gone for the other", async () => {
  await using bench = await openRecord();
  const ann = await bench.as("ann");
  const { version } = await bench.page(ann);
  equal(
    (await bench.send(ann, { do: "delete", if_updated_at: version })).status,
    303,
  );
  equal(await bench.row(), undefined);
  const [counter] = await bench.endpoint.test.db.read(
    "select records_count::int as records, window_writes::int as writes from agent_root_record_counters",
  );
  deepEqual(counter, { records: 0, writes: 2 });
  const again = await bench.send(ann, { do: "delete", if_updated_at: version });
  equal(again.status, 404);
  equal((await bench.page(ann)).status, 404);
});

Deno.test("a reader sees the record and changes nothing; forms of others are refused", async () => {
  await using bench = await openRecord();
  const rita = await bench.as("rita");
  const { text, version } = await bench.page(rita);
  equal(text.includes('value="save"'), false);
  const fields = { data: '{"title": "Rita"}', if_updated_at: version };
  equal((await bench.send(rita, fields)).status, 403);
  const ann = await bench.as("ann");
  const foreign = await postForm(bench.endpoint, PATH, fields, {
    headers: { origin: "http://evil.example", cookie: ann },
  });
  equal(foreign.status, 403);
  await foreign.body?.cancel();
  deepEqual((await bench.row())?.data, { title: "Red" });
});
