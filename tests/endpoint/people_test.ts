import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import {
  hashOfUserKey,
  makeUserKey,
  type User,
  writeUsers,
} from "../../mcp/people/users.ts";
import { insertDecision } from "../../store/gate/mod.ts";
import {
  listSubscriptions,
  saveSubscription,
} from "../../store/notices/mod.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { cookieOf, ORIGIN, postForm, signIn } from "../support/pages.ts";
import { startSession } from "../support/sessions.ts";

/** Paths of all pages that show something. */
const PAGES = ["/health", "/backlog", "/gate_decisions", "/costs"];

interface People extends AsyncDisposable {
  readonly endpoint: TestEndpoint;
  readonly keys: Readonly<Record<"ann" | "bob", string>>;
  /** Replaces the file. */
  write(text: string): Promise<void>;
  readonly file: readonly User[];
}

/** A server with ann, who may write, and bob, who may read. */
async function openPeople(): Promise<People> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const keys = { ann: makeUserKey(), bob: makeUserKey() };
  const file: User[] = [
    { name: "ann", role: "write", keyHash: hashOfUserKey(keys.ann) },
    { name: "bob", role: "read", keyHash: hashOfUserKey(keys.bob) },
  ].map((one) => ({ ...one, slackIds: [] } as User));
  const path = `${folder}/users.json`;
  await Deno.writeTextFile(path, writeUsers(file));
  const endpoint = stack.use(await openEndpoint({ usersFile: path }));
  return {
    endpoint,
    keys,
    file,
    write: (text) => Deno.writeTextFile(path, text),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function read(
  endpoint: TestEndpoint,
  path: string,
  cookie: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await endpoint.fetch(path, { headers: { cookie } });
  return { status: response.status, text: await response.text() };
}

async function addDecision({ test }: TestEndpoint): Promise<number> {
  const { id } = await insertDecision(test.db, {
    gate: "pr_merge",
    surface: "web",
    artifactUrl: null,
    decidedAt: null,
    decision: null,
    producingSessionUrl: null,
    writingSessionId: null,
    recordedVia: "api",
    payload: "{}",
  });
  return id;
}

/** Gives feedback on a decision as the holder of a cookie. */
async function feedback(
  endpoint: TestEndpoint,
  id: number,
  cookie: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await postForm(
    endpoint,
    `/gate_decisions/${id}/feedback`,
    { verdict: "should-have-held", author: "somebody else" },
    { headers: { origin: ORIGIN, cookie } },
  );
  return { status: response.status, text: await response.text() };
}

async function authors({ test }: TestEndpoint): Promise<unknown[]> {
  const rows = await test.db.read<{ author: string }>(
    "select author from gate_decision_feedbacks order by id",
  );
  return rows.map(({ author }) => author);
}

Deno.test("a person signs in with a key of their own, and what they say bears their name", async () => {
  await using people = await openPeople();
  const { endpoint, keys } = people;
  const id = await addDecision(endpoint);
  const cookie = await signIn(endpoint, keys.ann);
  for (const path of PAGES) {
    const { status, text } = await read(endpoint, path, cookie);
    equal(status, 200);
    match(text, /<span class="muted">ann<\/span>/);
  }
  equal((await feedback(endpoint, id, cookie)).status, 303);
  deepEqual(await authors(endpoint), ["ann"]);
});

Deno.test("a reader sees every page and changes nothing, and is told why", async () => {
  await using people = await openPeople();
  const { endpoint, keys } = people;
  const id = await addDecision(endpoint);
  const cookie = await signIn(endpoint, keys.bob);
  for (const path of [...PAGES, `/gate_decisions/${id}`]) {
    const { status, text } = await read(endpoint, path, cookie);
    equal(status, 200);
    match(text, /signed in as bob, who may read and change nothing/);
  }
  const refused = await feedback(endpoint, id, cookie);
  equal(refused.status, 403);
  match(refused.text, /role &quot;write&quot;.*Nothing was changed/);
  deepEqual(await authors(endpoint), []);
});

Deno.test("with a file of people an API key reads, and changes nothing; without, it is everybody's", async () => {
  await using people = await openPeople();
  const { endpoint } = people;
  const id = await addDecision(endpoint);
  const cookie = await signIn(endpoint);
  match(
    (await read(endpoint, "/backlog", cookie)).text,
    /says nothing of who you are: sign in with your own key/,
  );
  equal((await feedback(endpoint, id, cookie)).status, 403);
  deepEqual(await authors(endpoint), []);

  await using plain = await openEndpoint();
  const other = await addDecision(plain);
  const theirs = await signIn(plain);
  match(
    (await read(plain, "/backlog", theirs)).text,
    /everybody’s who has it: what is done here bears no name/,
  );
  equal((await feedback(plain, other, theirs)).status, 303);
  deepEqual(await authors(plain), ["somebody else"]);
});

Deno.test("who is taken out of the file, or gets another key or role, is so at once", async () => {
  await using people = await openPeople();
  const { endpoint, keys, file } = people;
  const [ann, bob] = file as readonly [User, User];
  const cookie = await signIn(endpoint, keys.ann);
  const status = async () => (await read(endpoint, "/backlog", cookie)).status;
  equal(await status(), 200);
  await people.write(writeUsers([{ ...ann, role: "read" }, bob]));
  match((await read(endpoint, "/backlog", cookie)).text, /change nothing/);
  await people.write(
    writeUsers([{ ...ann, keyHash: hashOfUserKey(makeUserKey()) }, bob]),
  );
  equal(await status(), 303);
  await people.write(writeUsers([bob]));
  equal(await status(), 303);
  await people.write("{");
  equal(await status(), 303);
  // The key still reads, and the page says what is wrong with the file.
  const byKey = await read(endpoint, "/backlog", await signIn(endpoint));
  equal(byKey.status, 200);
  match(byKey.text, /USERS is not used, and nobody may change anything/);
});

Deno.test("who may only read any more ends what their own browser is told, and begins nothing", async () => {
  await using people = await openPeople();
  const { endpoint, file, keys } = people;
  const { test } = endpoint;
  const cookie = await signIn(endpoint, keys.ann);
  const push = async (fields: Record<string, string>) => {
    const response = await postForm(endpoint, "/notifications/push", fields, {
      headers: { origin: ORIGIN, cookie },
    });
    await response.body?.cancel();
    return response.status;
  };
  const browser = {
    do: "subscribe",
    endpoint: "https://push.example.org/1",
    p256dh: btoa("x".repeat(65)),
    auth: btoa("x".repeat(16)),
  };
  equal(await push(browser), 303);
  const save = (endpoint: string, owner: string | null) =>
    saveSubscription(test.db, { ...browser, endpoint, owner });
  const bobs = await save("https://push.example.org/2", "bob");
  const nobodys = await save("https://push.example.org/3", null);
  const owners = async () =>
    (await listSubscriptions(test.db)).map(({ owner }) => owner);
  await people.write(
    writeUsers(file.map((one) => ({ ...one, role: "read" as const }))),
  );

  const { text } = await read(endpoint, "/notifications", cookie);
  match(text, /Your browsers that are told/);
  deepEqual(text.match(/Forget browser \d+/g)?.length, 1);
  doesNotMatch(text, /Tell this browser/);
  equal(
    await push({ ...browser, endpoint: "https://push.example.org/4" }),
    403,
  );
  for (const id of [bobs, nobodys]) {
    equal(await push({ do: "forget", id: String(id) }), 403);
  }
  deepEqual(await owners(), ["ann", "bob", null]);
  const id = /Forget browser (\d+)/.exec(text)?.[1] ?? "";
  equal(await push({ do: "forget", id }), 303);
  deepEqual(await owners(), ["bob", null]);
  doesNotMatch(
    (await read(endpoint, "/notifications", cookie)).text,
    /Your browsers/,
  );
});

Deno.test("a cookie of one person is none of another's", async () => {
  await using people = await openPeople();
  const { endpoint, keys } = people;
  const cookie = await signIn(endpoint, keys.bob);
  const key = await signIn(endpoint);
  for (
    const forged of [
      cookie.replace("%3Abob", "%3Aann"),
      cookie.replace("%3Abob", ""),
      key.replace(".", "%3Aann."),
    ]
  ) {
    ok(forged !== cookie && forged !== key, forged);
    equal((await read(endpoint, "/health", forged)).status, 303, forged);
  }
});

Deno.test("tokens of sessions, turns and runners open no page, neither in a header nor in the form", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { token } = await startSession(db, { agentRootKey: "gardener" });
  const runner = await db.transaction((tx) => insertRunner(tx, "mill"));
  await sessionQuery(endpoint, "gardener");
  for (const credential of [token ?? "", runner.token]) {
    for (const path of PAGES) {
      const response = await endpoint.fetch(path, {
        headers: { authorization: `Bearer ${credential}` },
      });
      equal(response.status, 403);
      await response.body?.cancel();
    }
    const form = await postForm(endpoint, "/sign_in", { key: credential });
    equal(form.status, 403);
    equal(form.headers.get("set-cookie"), null);
    match(await form.text(), /token. These pages are for people/);
  }
  // A token that proves nothing is a wrong key, and no hint.
  const unknown = await postForm(endpoint, "/sign_in", {
    key: `${runner.token.slice(0, -4)}AAAA`,
  });
  equal(unknown.status, 401);
  await unknown.body?.cancel();
});

Deno.test("the key of a person opens the pages and nothing else", async () => {
  await using people = await openPeople();
  const { endpoint, keys } = people;
  for (const path of ["/api/v1/sessions", "/health"]) {
    const response = await endpoint.fetch(path, {
      headers: { "x-api-key": keys.ann },
    });
    equal(response.status, 401);
    await response.body?.cancel();
  }
  const plain = await openEndpoint();
  await using _plain = plain;
  const form = await postForm(plain, "/sign_in", { key: keys.ann });
  equal(form.status, 401);
  match(await form.text(), /no file of people: set USERS/);
  equal(cookieOf(form), "");
  ok(API_KEY !== keys.ann);
});
