/**
 * A file of people for tests: ann, who may write, bob, who may too, and
 * rita, who may read.
 *
 * @module
 */
import {
  hashOfUserKey,
  makeUserKey,
  type User,
  writeUsers,
} from "../../mcp/people/users.ts";

/** The file, and the keys of those in it. */
export interface PeopleFile extends AsyncDisposable {
  readonly path: string;
  readonly users: readonly User[];
  readonly keys: Readonly<Record<"ann" | "bob" | "rita", string>>;
  /** Replaces the file. */
  write(text: string): Promise<void>;
}

/** Makes the file. */
export async function makePeople(): Promise<PeopleFile> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/users.json`;
  const keys = { ann: makeUserKey(), bob: makeUserKey(), rita: makeUserKey() };
  const users = Object.entries(keys).map(([name, key]): User => ({
    name,
    keyHash: hashOfUserKey(key),
    role: name === "rita" ? "read" : "write",
    slackIds: [],
  }));
  const write = (text: string) => Deno.writeTextFile(path, text);
  await write(writeUsers(users));
  return {
    path,
    users,
    keys,
    write,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
