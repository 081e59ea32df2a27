/**
 * `users list|add|remove`: people who sign in to the pages by name.
 *
 * A key is shown once, when it is made; the file keeps its SHA-256. A server
 * reads the file each time it judges somebody, and needs no restart.
 *
 * @module
 */
import { dirname } from "node:path";
import {
  hashOfUserKey,
  makeUserKey,
  readUsers,
  type User,
  USER_NAME_REGEXP,
  type UserRole,
  writeUsers,
} from "../../mcp/mod.ts";
import { print, table } from "../output.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

const FLAGS_OF_ADD = ["role", "slack-id"];

/** The verb. */
export const users = defineVerb({
  summary:
    "Lists, adds and removes people who sign in to the pages with a key of their own.",
  words: "list|add NAME|remove NAME",
  maxWords: 2,
  flags: {
    role: {
      type: "string",
      meaning: "add: read or write; write by default",
    },
    "slack-id": {
      type: "string",
      meaning: "add: who they are on Slack; a comma list",
    },
  },
  settings: settingsOf("fleet"),
  async run(call, config) {
    const path = config.users;
    if (path === undefined) {
      throw new ConfigError([
        "users needs the file of people: name it with USERS or --users, and start the server with the same",
      ]);
    }
    const [action, name = ""] = call.words;
    if (action !== "add") assertNoFlags(call, action);
    switch (action) {
      case "list":
        return list(await known(path));
      case "add":
        return await add(path, newUser(call, name));
      case "remove":
        return await remove(path, name);
      default:
        throw new ConfigError([
          `users needs one of list, add, remove: it got ${
            action === undefined ? "none" : `"${action}"`
          }`,
        ]);
    }
  },
});

/** People of the file; none where there is no file yet. */
async function known(path: string): Promise<readonly User[]> {
  const exists = await Deno.stat(path).then(() => true, () => false);
  if (!exists) return [];
  const reading = await readUsers(path);
  if (reading.kind === "users") return reading.users;
  throw new ConfigError([
    `${path} cannot be used${
      reading.kind === "broken" ? `: ${reading.problem}` : ""
    }`,
  ]);
}

function list(people: readonly User[]): number {
  print(table([
    ["NAME", "ROLE", "SLACK"],
    ...people.map(({ name, role, slackIds }) => [
      name,
      role,
      slackIds.join(", "),
    ]),
  ]));
  return 0;
}

function newUser(call: Call, name: string): Omit<User, "keyHash"> {
  const role = textFlag(call, "role") ?? "write";
  const problems = [
    ...(USER_NAME_REGEXP.test(name) ? [] : [
      "users add NAME: a name is 1 to 100 of A-Z, a-z, 0-9 and . _ @ -, and begins with a letter or digit",
    ]),
    ...(role === "read" || role === "write" ? [] : [
      `--role is read or write: it is "${role}"`,
    ]),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const slackIds = (textFlag(call, "slack-id") ?? "").split(",")
    .map((one) => one.trim()).filter(Boolean);
  return { name, role: role as UserRole, slackIds };
}

async function add(
  path: string,
  user: Omit<User, "keyHash">,
): Promise<number> {
  const people = await known(path);
  if (find(people, user.name) !== undefined) {
    throw new ConfigError([
      `There is a user "${user.name}" already; users remove ${user.name} first, and the old key opens nothing any more`,
    ]);
  }
  const key = makeUserKey();
  await write(path, [...people, { ...user, keyHash: hashOfUserKey(key) }]);
  print(`${user.name} (${user.role}) signs in with this key, shown only here:`);
  print(key);
  return 0;
}

async function remove(path: string, name: string): Promise<number> {
  const people = await known(path);
  const user = find(people, name);
  if (user === undefined) {
    throw new ConfigError([`There is no user "${name}" in ${path}`]);
  }
  await write(path, people.filter((one) => one !== user));
  print(`${user.name} is out, and so is whoever is signed in by that name`);
  return 0;
}

function find(people: readonly User[], name: string): User | undefined {
  return people.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

/** Replaces the file at once: a reader sees the old one or the new one. */
async function write(path: string, people: readonly User[]): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(beside, writeUsers(people), { mode: 0o600 });
  await Deno.rename(beside, path);
}

function assertNoFlags(call: Call, action: string | undefined): void {
  const given = FLAGS_OF_ADD.find((flag) => textFlag(call, flag) !== undefined);
  if (given === undefined) return;
  throw new ConfigError([`--${given} goes with add, not with ${action}`]);
}
