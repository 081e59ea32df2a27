import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  hashOfUserKey,
  makeUserKey,
  parseUsers,
  readUsers,
  userOfKey,
  writeUsers,
} from "./users.ts";

const ANN_KEY = makeUserKey();
const ANN = {
  name: "ann",
  keyHash: hashOfUserKey(ANN_KEY),
  role: "write",
  slackIds: ["U1"],
} as const;

Deno.test("parseUsers() reads what writeUsers() wrote", () => {
  const bob = { ...ANN, name: "bob", keyHash: "0".repeat(64), slackIds: [] };
  const { users, problems } = parseUsers(writeUsers([ANN, bob]));
  deepEqual(problems, []);
  deepEqual(users, [ANN, bob]);
});

Deno.test("userOfKey() knows the holder of a key, and nobody by another", () => {
  equal(userOfKey([ANN], ANN_KEY), ANN);
  equal(userOfKey([ANN], makeUserKey()), undefined);
  equal(userOfKey([ANN], ANN.keyHash), undefined);
  equal(userOfKey([], ANN_KEY), undefined);
  match(ANN_KEY, /^rcu_[\w-]{43}$/);
});

Deno.test.each(
  [
    ["no JSON", "{", /no JSON/],
    ["no list", "[]", /list "users"/],
    ["a name that could be markup", { name: "<b>" }, /user 1: name is/],
    ["a key instead of its hash", { key_sha256: ANN_KEY }, /key_sha256 is 64/],
    ["a role that there is not", { role: "admin" }, /role is read or write/],
    ["Slack ids that are no texts", { slack_ids: [1] }, /slack_ids is a list/],
    ["a misspelt field", { rol: "read" }, /unknown field "rol"/],
  ] as const,
)("parseUsers() refuses %s", (_name, given, words) => {
  const text = typeof given === "string" ? given : JSON.stringify({
    users: [{ name: "ann", key_sha256: ANN.keyHash, ...given }],
  });
  const { users, problems } = parseUsers(text);
  deepEqual(users, []);
  match(problems.join("; "), words);
});

Deno.test("parseUsers() refuses two of one name or one key", () => {
  const twice = writeUsers([ANN, { ...ANN, name: "ANN" }]);
  const { users, problems } = parseUsers(twice);
  deepEqual(users, []);
  match(problems.join("; "), /two users are called "ann"; .*same key/);
});

Deno.test("readUsers() of a file that is missing or broken knows nobody, and says why", async () => {
  const folder = await Deno.makeTempDir();
  try {
    deepEqual(await readUsers(undefined), { kind: "unset" });
    const missing = await readUsers(`${folder}/users.json`);
    ok(missing.kind === "broken");
    match(missing.problem, /no such file; users add NAME/);
    await Deno.writeTextFile(`${folder}/users.json`, "7");
    const broken = await readUsers(`${folder}/users.json`);
    ok(broken.kind === "broken");
    match(broken.problem, /nobody may change anything/);
    await Deno.writeTextFile(`${folder}/users.json`, writeUsers([ANN]));
    deepEqual(await readUsers(`${folder}/users.json`), {
      kind: "users",
      users: [ANN],
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
