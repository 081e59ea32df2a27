/** `users`: the file of people, from the command line. */
import { deepEqual, equal, match } from "node:assert/strict";
import { readUsers, userOfKey } from "../../mcp/people/users.ts";
import { processEnv, runVerb } from "../support/process.ts";

Deno.test("users adds people, shows each key once, lists and removes them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/new/users.json`;
    const run = (...words: string[]) =>
      runVerb(["users", ...words], { ...processEnv(), USERS: path });
    const added = await run("add", "ann", "--slack-id", "U1, U2");
    equal(added.code, 0, added.stderr);
    const key = /^rcu_\S+$/m.exec(added.stdout)?.[0] ?? "";
    const reading = await readUsers(path);
    if (reading.kind !== "users") throw new Error("No people");
    const ann = userOfKey(reading.users, key);
    deepEqual([ann?.name, ann?.role, ann?.slackIds], ["ann", "write", [
      "U1",
      "U2",
    ]]);
    equal((await Deno.readTextFile(path)).includes(key), false);
    equal((await run("add", "bob", "--role", "read")).code, 0);
    const again = await run("add", "ANN");
    equal(again.code, 2);
    match(again.stderr, /a user "ANN" already; users remove ANN first/);
    match((await run("list")).stdout, /ann\s+write\s+U1, U2\nbob\s+read/);
    match((await run("remove", "ann")).stdout, /ann is out/);
    match((await run("remove", "ann")).stderr, /no user "ann"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("users exits with 2 and changes nothing when called wrongly", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/users.json`;
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /one of list, add, remove: it got none/],
      [["add"], /users add NAME: a name is/],
      [["add", "<b>"], /a name is 1 to 100/],
      [["add", "ann", "--role", "owner"], /--role is read or write/],
      [["list", "--role", "read"], /--role goes with add/],
    ];
    for (const [words, says] of cases) {
      const { code, stderr } = await runVerb(["users", ...words], {
        ...processEnv(),
        USERS: path,
      });
      equal(code, 2, stderr);
      match(stderr, says);
    }
    const { code, stderr } = await runVerb(["users", "list"], processEnv());
    equal(code, 2);
    match(stderr, /name it with USERS or --users/);
    equal(await Deno.stat(path).then(() => true, () => false), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
