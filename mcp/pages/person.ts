/**
 * Who looks at a page, and what they may change there.
 *
 * Without a file of people an API key is everybody's who has it: it may change
 * what a person may, in nobody's name. Once there is a file, only people that
 * it names with the role `write` may, and each in their own name.
 *
 * @module
 */
import type { User, UsersReading } from "../people/users.ts";

/** Who looks at a page. */
export interface Person {
  /** What they are called; null is whoever holds the API key. */
  readonly name: string | null;
  /** Why they may change nothing, a sentence; undefined where they may. */
  readonly barred?: string | undefined;
  /** What they should know of their sign-in, a sentence. */
  readonly notice?: string | undefined;
  /** What tells them from others, SHA-256 in hexadecimal digits. */
  readonly digest?: string | undefined;
}

/** Somebody whose sign-in was proven; without a user, by an API key. */
export function personOf(reading: UsersReading, user?: User): Person {
  if (user !== undefined) {
    return {
      name: user.name,
      barred: user.role === "write"
        ? undefined
        : `You are signed in as ${user.name}, who may read and change nothing: the role "write" in the file of USERS would let you`,
    };
  }
  if (reading.kind === "unset") {
    return {
      name: null,
      notice:
        "Signed in with an API key, which is everybody’s who has it: what is done here bears no name. “users add NAME” and USERS give each person a key of their own.",
    };
  }
  return {
    name: null,
    barred: reading.kind === "broken"
      ? reading.problem
      : "You are signed in with an API key, which says nothing of who you are: sign in with your own key from users add to change anything",
  };
}
