import { equal, ok } from "node:assert/strict";
import { writeUsers } from "../../mcp/people/users.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { ORIGIN, postForm, signIn } from "../support/pages.ts";
import { makePeople } from "../support/people.ts";
import { openTestDb } from "../support/test_db.ts";
import { watchedDb } from "../support/watched_db.ts";

/** An endpoint that people listen to, and what it asks its database. */
async function openListened(usersFile: string) {
  const stack = new AsyncDisposableStack();
  const test = stack.use(await openTestDb());
  let underWay = 0;
  const db = watchedDb(test.db, async (_text, run) => {
    underWay++;
    try {
      return await run();
    } finally {
      underWay--;
    }
  });
  // A look that is under way when the last one leaves ends by itself; the
  // database is to be there until then.
  stack.defer(async () => {
    for (let calm = 0; calm < 3; calm = underWay === 0 ? calm + 1 : 0) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  const endpoint = stack.use(
    await openEndpoint({
      usersFile,
      test,
      store: {
        isEmbedded: false,
        db: () => Promise.resolve(db),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    }),
  );
  return { endpoint, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface Stream {
  /** Resolves once the server ends it. */
  readonly over: Promise<"over">;
  /** Closes it from here, unless the server did. */
  leave(): Promise<void>;
}

/** Opens what a page listens to. */
async function listen(
  endpoint: TestEndpoint,
  headers: Record<string, string>,
  path = "/board/feed",
): Promise<Stream> {
  const response = await endpoint.fetch(path, { headers });
  equal(response.status, 200);
  const reader = response.body?.getReader();
  ok(reader !== undefined);
  const read = async () => {
    while (!(await reader.read()).done);
    return "over" as const;
  };
  return { over: read(), leave: () => reader.cancel() };
}

/** Whether one goes on although another ended. */
async function goesOn(stream: Stream, after: Promise<unknown>) {
  await after;
  equal(
    await Promise.race([stream.over, Promise.resolve("open")]),
    "open",
  );
}

Deno.test("who signs out stops to see at once, on every page of that browser and no other", async () => {
  await using people = await makePeople();
  await using opened = await openListened(people.path);
  const { endpoint } = opened;
  const ann = { cookie: await signIn(endpoint, people.keys.ann) };
  const bob = { cookie: await signIn(endpoint, people.keys.bob) };
  const anns = [
    await listen(endpoint, ann),
    await listen(endpoint, ann, "/sessions/1/feed"),
  ];
  const bobs = await listen(endpoint, bob);
  const response = await postForm(endpoint, "/sign_out", {}, {
    headers: { origin: ORIGIN, ...ann },
  });
  equal(response.status, 303);
  await goesOn(bobs, Promise.all(anns.map(({ over }) => over)));
  await bobs.leave();
});

Deno.test("who is taken out of the file, or gets another role, stops to see; all others go on", async () => {
  await using people = await makePeople();
  await using opened = await openListened(people.path);
  const { endpoint } = opened;
  const listenAs = async (name: "ann" | "bob" | "rita") =>
    await listen(endpoint, {
      cookie: await signIn(endpoint, people.keys[name]),
    });
  const [ann, bob, rita] = [
    await listenAs("ann"),
    await listenAs("bob"),
    await listenAs("rita"),
  ];
  const program = await listen(endpoint, { "x-api-key": API_KEY });
  const [first, second, third] = people.users;
  ok(first !== undefined && second !== undefined && third !== undefined);
  await people.write(writeUsers([second, third]));
  await goesOn(bob, ann.over);
  await people.write(writeUsers([{ ...second, role: "read" }, third]));
  await goesOn(rita, bob.over);
  await people.write("no JSON");
  await goesOn(program, rita.over);
  await program.leave();
});
