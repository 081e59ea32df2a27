import { equal, match, ok } from "node:assert/strict";
import { openEndpoint, sessionQuery } from "../support/endpoint.ts";
import { ORIGIN, postForm, signIn } from "../support/pages.ts";
import { makePeople } from "../support/people.ts";

const HOSTILE = `<script>alert("tulips")</script>`;

/** A server that remembers three things, and how people look at it. */
async function openRemembering() {
  const stack = new AsyncDisposableStack();
  const people = stack.use(await makePeople());
  const endpoint = stack.use(await openEndpoint({ usersFile: people.path }));
  const query = await sessionQuery(endpoint, "gardener", "memory");
  for (const text of ["Tulips want sun", "The shed is locked", HOSTILE]) {
    const item = { kind: "learning", text };
    const stored = await endpoint.call(query, "store_memory", item);
    ok(!stored.isError, stored.text);
  }
  const page = async (cookie: string, path = "/memory") => {
    const response = await endpoint.fetch(path, { headers: { cookie } });
    return { status: response.status, text: await response.text() };
  };
  const forget = async (
    cookie: string,
    fields: Readonly<Record<string, string>>,
    origin = ORIGIN,
  ) => {
    const response = await postForm(endpoint, "/memory/forget", fields, {
      headers: { origin, cookie },
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    page,
    forget,
    as: (name: "ann" | "rita") => signIn(endpoint, people.keys[name]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Ids of the items of a page. */
function idsOf(text: string): string[] {
  return [...text.matchAll(/name="id" value="([^"]+)"/g)]
    .map(([, id]) => id ?? "");
}

Deno.test("the memory page shows nodes and items, and finds by words with what fits", async () => {
  await using bench = await openRemembering();
  const ann = await bench.as("ann");
  const all = await bench.page(ann);
  equal(all.status, 200);
  match(all.text, /\?node=root">/);
  match(all.text, /Tulips want sun/);
  match(all.text, /&lt;script&gt;alert/);
  ok(!all.text.includes("<script>alert"));
  const found = await bench.page(ann, "/memory?q=tulips+sun");
  match(
    found.text,
    /Tulips want sun[\s\S]*How well it fits[\s\S]*Words that it has[\s\S]*tulips, sun[\s\S]*100 %/,
  );
  ok(!found.text.includes("shed is locked"));
  const elsewhere = await bench.page(ann, "/memory?node=agent%3Anobody");
  match(elsewhere.text, /Nothing is remembered here/);
  for (const path of ["/memory?node=%3Cb%3E", "/memory?after=x"]) {
    const refused = await bench.page(ann, path);
    equal(refused.status, 200);
    match(refused.text, /role="alert"/);
  }
});

Deno.test("items are forgotten once it was shown what would be", async () => {
  await using bench = await openRemembering();
  const ann = await bench.as("ann");
  const found = await bench.page(ann, "/memory?q=shed");
  const [id = ""] = idsOf(found.text);
  const preview = await bench.forget(ann, { id, do: "preview" });
  equal(preview.status, 200);
  match(preview.text, /To be forgotten for good: 1[\s\S]*shed is locked/);
  match((await bench.page(ann)).text, /shed is locked/);
  const done = await bench.forget(ann, { id, do: "forget" });
  match(done.text, /Forgotten: 1/);
  const rest = await bench.page(ann);
  ok(!rest.text.includes("shed is locked"));
  match(rest.text, /Tulips want sun/);
  match((await bench.forget(ann, { id })).text, /None of them is there/);
});

Deno.test("a reader sees memory and forgets nothing; forms of others are refused", async () => {
  await using bench = await openRemembering();
  const ann = await bench.as("ann");
  const [id = ""] = idsOf((await bench.page(ann)).text);
  const rita = await bench.as("rita");
  const seen = await bench.page(rita);
  match(seen.text, /Tulips want sun/);
  equal(idsOf(seen.text).length, 0);
  equal((await bench.forget(rita, { id, do: "forget" })).status, 403);
  const foreign = await bench.forget(
    ann,
    { id, do: "forget" },
    "http://evil.example",
  );
  equal(foreign.status, 403);
  equal(idsOf((await bench.page(ann)).text).length, 3);
});
