/**
 * The file of people (`USERS`): who may sign in to the pages by name, and what
 * they may do there.
 *
 * A key is made by `users add` of 256 random bits, so that its SHA-256 is all
 * that has to be kept. The file is read each time somebody is judged by it:
 * whoever is taken out is out at once. A file that cannot be used opens nothing.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";

/** What somebody may do on the pages. */
export type UserRole = "read" | "write";

/** Somebody who may sign in by name. */
export interface User {
  /** What they are called: the author of what they say. */
  readonly name: string;
  /** SHA-256 of their key, in hexadecimal digits. */
  readonly keyHash: string;
  /** What they may do. */
  readonly role: UserRole;
  /** Who they are on Slack. */
  readonly slackIds: readonly string[];
}

/** What became of reading the file. */
export type UsersReading =
  /** Nobody named a file: an API key is everybody's, and may do everything. */
  | { readonly kind: "unset" }
  | { readonly kind: "users"; readonly users: readonly User[] }
  /** Nobody is known: why. */
  | { readonly kind: "broken"; readonly problem: string };

/** How keys of people begin. */
export const USER_KEY_MARK = "rcu_";

/** What somebody may be called. */
export const USER_NAME_REGEXP = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;

const HASH_REGEXP = /^[0-9a-f]{64}$/;
/** A larger file is no list of people. */
const MAX_BYTES = 1024 * 1024;
const MAX_USERS = 10_000;
const FIELDS = ["name", "key_sha256", "role", "slack_ids"];

/** Reads the file. Never rejects. */
export async function readUsers(
  path: string | undefined,
): Promise<UsersReading> {
  if (path === undefined) return { kind: "unset" };
  const broken = (problem: string): UsersReading => ({
    kind: "broken",
    problem: `USERS is not used, and nobody may change anything: ${problem}`,
  });
  let text: string;
  try {
    const { size } = await Deno.stat(path);
    if (size > MAX_BYTES) return broken("the file is larger than 1 MiB");
    text = await Deno.readTextFile(path);
  } catch (error) {
    return broken(
      error instanceof Deno.errors.NotFound
        ? "there is no such file; users add NAME makes it"
        : "the file cannot be read",
    );
  }
  const parsed = parseUsers(text);
  return parsed.problems.length === 0
    ? { kind: "users", users: parsed.users }
    : broken(parsed.problems.slice(0, 5).join("; "));
}

/** Who somebody of Slack is among the people of the file. */
export async function nameOfSlackId(
  path: string | undefined,
  slackId: string,
): Promise<string | undefined> {
  const reading = await readUsers(path);
  return reading.kind === "users"
    ? reading.users.find(({ slackIds }) => slackIds.includes(slackId))?.name
    : undefined;
}

/** Reads the file's text: the people of it, or all that is wrong with it. */
export function parseUsers(
  text: string,
): { readonly users: readonly User[]; readonly problems: readonly string[] } {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { users: [], problems: ["the file is no JSON"] };
  }
  const list = isObject(given) ? given.users : undefined;
  if (!Array.isArray(list) || list.length > MAX_USERS) {
    return {
      users: [],
      problems: [
        `the file is not an object with a list "users" of at most ${MAX_USERS}`,
      ],
    };
  }
  const problems: string[] = [];
  const users = list.map((one, at) => toUser(one, at, problems));
  const names = users.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) problems.push(`two users are called "${twice}"`);
  const hashes = users.map(({ keyHash }) => keyHash);
  if (new Set(hashes).size !== hashes.length) {
    problems.push("two users have the same key");
  }
  return { users: problems.length === 0 ? users : [], problems };
}

/** The file's text of these people. */
export function writeUsers(users: readonly User[]): string {
  const list = users.map(({ name, keyHash, role, slackIds }) => ({
    name,
    key_sha256: keyHash,
    role,
    ...(slackIds.length === 0 ? {} : { slack_ids: slackIds }),
  }));
  return `${JSON.stringify({ users: list }, null, 2)}\n`;
}

/** A new key of somebody: shown once, and kept by nobody but its holder. */
export function makeUserKey(): string {
  const secret = crypto.getRandomValues(new Uint8Array(32))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return `${USER_KEY_MARK}${secret}`;
}

/** What is kept of a key: its SHA-256 in hexadecimal digits. */
export function hashOfUserKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Whose key it is, in a time that tells nothing of the keys of others. */
export function userOfKey(
  users: readonly User[],
  key: string,
): User | undefined {
  const hash = new TextEncoder().encode(hashOfUserKey(key));
  let found: User | undefined;
  for (const user of users) {
    const known = new TextEncoder().encode(user.keyHash);
    if (timingSafeEqual(hash, known)) found = user;
  }
  return found;
}

function toUser(value: unknown, at: number, problems: string[]): User {
  const given = isObject(value) ? value : {};
  const { name, key_sha256: hash, role = "write", slack_ids: ids = [] } = given;
  const complain = (what: string) => problems.push(`user ${at + 1}: ${what}`);
  const unknown = Object.keys(given).filter((one) => !FIELDS.includes(one));
  if (!isObject(value)) complain("it is no object");
  if (unknown.length > 0) complain(`unknown field "${unknown[0]}"`);
  if (typeof name !== "string" || !USER_NAME_REGEXP.test(name)) {
    complain("name is 1 to 100 of A-Z, a-z, 0-9 and . _ @ -");
  }
  if (typeof hash !== "string" || !HASH_REGEXP.test(hash)) {
    complain("key_sha256 is 64 hexadecimal digits, lower case");
  }
  if (role !== "read" && role !== "write") complain("role is read or write");
  const isList = Array.isArray(ids) &&
    ids.every((id) => typeof id === "string");
  if (!isList) complain("slack_ids is a list of texts");
  return {
    name: String(name),
    keyHash: String(hash),
    role: role === "write" ? "write" : "read",
    slackIds: isList ? ids.map(String) : [],
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
