/**
 * The cookie of someone who signed in with an API key.
 *
 * It holds the time at which it ends, signed with a secret made from the key:
 * nothing is kept on the server, every copy with the same keys takes it, and a
 * key that is taken out of the configuration takes its holders along. The key
 * cannot be read from it, and guessing a weak one costs what scrypt costs.
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

/** How long a sign-in lasts. */
export const SIGN_IN_SECONDS = 12 * 60 * 60;

const NAME = "rootcellar_pages";
const SALT = "rootcellar pages, sign-in cookie, version 1";

/** Issues and checks the cookie. */
export interface SignIns {
  /** Signs the holder of a key in; the key must be one of the server's. */
  begin(c: Context, key: string): Promise<void>;
  /** Whether a request has a cookie, and whether it is good. */
  check(c: Context): Promise<"absent" | "invalid" | "valid">;
  /** Takes the cookie away from its holder. */
  end(c: Context): void;
}

/** Makes the check. `now` is the clock, in milliseconds since 1970. */
export function createSignIns(
  apiKeys: readonly string[],
  now: () => number = Date.now,
): SignIns {
  const secrets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const secretOf = (key: string) => {
    const secret = secrets.get(key) ?? deriveSecret(key);
    secrets.set(key, secret);
    return secret;
  };
  return {
    async begin(c, key) {
      const end = Math.floor(now() / 1_000) + SIGN_IN_SECONDS;
      await setSignedCookie(c, NAME, String(end), await secretOf(key), {
        ...attributes(c),
        maxAge: SIGN_IN_SECONDS,
      });
    },
    async check(c) {
      if (getCookie(c, NAME) === undefined) return "absent";
      for (const key of apiKeys) {
        const end = await getSignedCookie(c, await secretOf(key), NAME);
        if (typeof end !== "string") continue;
        return Number(end) * 1_000 > now() ? "valid" : "invalid";
      }
      return "invalid";
    },
    end(c) {
      deleteCookie(c, NAME, attributes(c));
    },
  };
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

function deriveSecret(key: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) =>
    scrypt(key, SALT, 32, (error, secret) => {
      if (error === null) resolve(new Uint8Array(secret));
      else reject(error);
    })
  );
}
