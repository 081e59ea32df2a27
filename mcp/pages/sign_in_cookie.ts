/**
 * The cookie of someone who signed in, with an API key or with a key of their
 * own.
 *
 * It holds the time at which it ends and the name of its holder, if they have
 * one, signed with a secret made from an API key and, of people, from what is
 * kept of theirs: nothing is kept on the server, every copy with the same keys
 * takes it, and who is taken out of the configuration or out of the file of
 * people is out at once. No key can be read from it, and guessing a weak one
 * costs what scrypt costs.
 *
 * @module
 */
import { scrypt } from "node:crypto";
import type { Context } from "hono";
import {
  deleteCookie,
  getCookie,
  getSignedCookie,
  setSignedCookie,
} from "hono/cookie";
import { digestOf } from "../caller/caller_digest.ts";
import type { User, UsersReading } from "../people/users.ts";
import type { ReviewHolders, StreamHolder } from "./live/event_streams.ts";
import { type Person, personOf } from "./person.ts";

/** How long a sign-in lasts. */
export const SIGN_IN_SECONDS = 12 * 60 * 60;

const NAME = "rootcellar_pages";
const SALT = "rootcellar pages, sign-in cookie, version 1";
/** Of a signed value: when it ends, and who holds it. */
const VALUE_REGEXP = /^([0-9]{1,12})(?::(.+))?$/;

/** What a request's cookie says. */
export type SignIn =
  | { readonly kind: "absent" | "invalid" }
  | {
    readonly kind: "valid";
    readonly person: Person;
    /** What streams of theirs are known by. */
    readonly holder: StreamHolder;
  };

/** Issues and checks the cookie. */
export interface SignIns {
  /** Signs the holder of an API key in; it must be one of the server's. */
  begin(c: Context, key: string): Promise<void>;
  /** Signs a person in by name. */
  beginAs(c: Context, user: User): Promise<void>;
  /** Whether a request has a cookie, whether it is good, and whose it is. */
  check(c: Context): Promise<SignIn>;
  /** Looks at the file of people: who of those that signed in still may look. */
  review: ReviewHolders;
  /** Takes the cookie away from its holder. */
  end(c: Context): void;
}

/** What the check is made of. */
export interface SignInParts {
  /** Reads the file of people. */
  readonly people: () => Promise<UsersReading>;
  /** The clock, in milliseconds since 1970. @default {Date.now} */
  readonly now?: (() => number) | undefined;
}

/** Makes the check. */
export function createSignIns(
  apiKeys: readonly string[],
  { people, now = Date.now }: SignInParts,
): SignIns {
  const secrets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const secretOf = (key: string, user?: User) => {
    const name = JSON.stringify([key, user?.keyHash]);
    const secret = secrets.get(name) ?? deriveSecret(key, user?.keyHash);
    secrets.set(name, secret);
    return secret;
  };
  const set = async (c: Context, key: string, user?: User) => {
    const end = Math.floor(now() / 1_000) + SIGN_IN_SECONDS;
    const value = user === undefined ? String(end) : `${end}:${user.name}`;
    await setSignedCookie(c, NAME, value, await secretOf(key, user), {
      ...attributes(c),
      maxAge: SIGN_IN_SECONDS,
    });
  };
  const signedBy = async (c: Context, user?: User) => {
    for (const key of apiKeys) {
      const value = await getSignedCookie(c, await secretOf(key, user), NAME);
      if (typeof value === "string") {
        const [, end, holder] = VALUE_REGEXP.exec(value) ?? [];
        return { end, holder, key };
      }
    }
    return undefined;
  };
  return {
    begin: (c, key) => set(c, key),
    async beginAs(c, user) {
      const [key] = apiKeys;
      if (key === undefined) {
        throw new RangeError("A sign-in is signed with an API key");
      }
      await set(c, key, user);
    },
    async check(c) {
      const cookie = getCookie(c, NAME);
      if (cookie === undefined) return { kind: "absent" };
      const reading = await people();
      const name = nameIn(cookie);
      const user = named(reading, name ?? null);
      if (name !== undefined && user === undefined) return { kind: "invalid" };
      const signed = await signedBy(c, user);
      const isGood = signed !== undefined && signed.holder === user?.name &&
        Number(signed.end) * 1_000 > now();
      if (!isGood) return { kind: "invalid" };
      // Whoever holds a key is the same caller here as over REST.
      const digest = digestOf(
        user === undefined ? signed.key : `person ${user.name}`,
      );
      return {
        kind: "valid",
        person: { ...personOf(reading, user), digest },
        holder: {
          signIn: digestOf(cookie),
          standing: standingOf(reading, user),
          name: user?.name ?? null,
          until: Number(signed.end) * 1_000,
        },
      };
    },
    async review() {
      const reading = await people();
      return ({ name, standing, until }) =>
        until > now() && standing === standingOf(reading, named(reading, name));
    },
    end(c) {
      deleteCookie(c, NAME, attributes(c));
    },
  };
}

function named(reading: UsersReading, name: string | null): User | undefined {
  return name === null || reading.kind !== "users"
    ? undefined
    : reading.users.find((one) => one.name === name);
}

/** All that decides what somebody may see and do. */
function standingOf({ kind }: UsersReading, user: User | undefined): string {
  return JSON.stringify([kind, user?.keyHash, user?.role]);
}

/** Whom an unproven cookie names. */
function nameIn(cookie: string): string | undefined {
  return VALUE_REGEXP.exec(cookie.slice(0, cookie.lastIndexOf(".")))?.[2];
}

/**
 * Lax, not Strict: a link in a chat or an alert should open the page, and what
 * changes something is a form that must come from here.
 */
function attributes(c: Context) {
  return {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    // Behind a proxy only the browser says that it came over TLS: it names
    // the origin of every form.
    secure: c.req.url.startsWith("https:") ||
      c.req.header("origin")?.startsWith("https:") === true,
  } as const;
}

function deriveSecret(
  key: string,
  userHash: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const salt = userHash === undefined ? SALT : `${SALT}, of ${userHash}`;
  return new Promise((resolve, reject) =>
    scrypt(key, salt, 32, (error, secret) => {
      if (error === null) resolve(new Uint8Array(secret));
      else reject(error);
    })
  );
}
