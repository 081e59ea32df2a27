/**
 * Signing in and out: the form, what became of it, and where to go then.
 *
 * The key comes in a form's body and goes no further than the check: not into
 * a URL, a cookie, a log or an answer.
 *
 * @module
 */
import type { Context } from "hono";
import { type Gate, judge, type RequestFacts } from "../http/gate.ts";
import {
  USER_KEY_MARK,
  userOfKey,
  type UsersReading,
} from "../people/users.ts";
import { isRunner } from "./door.ts";
import { type Page, type PageStatus, PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import { link, note } from "./parts.ts";
import { readForm } from "./read_form.ts";
import type { SignIns } from "./sign_in_cookie.ts";

/** A key and a path; what is longer is no sign-in. */
const MAX_FORM_BYTES = 16 * 1024;

/** Paths that a sign-in may lead to: nothing else is ever redirected to. */
const TARGETS: readonly string[] = [
  PATHS.board,
  PATHS.categories,
  PATHS.sessions,
  PATHS.newSession,
  PATHS.notifications,
  PATHS.triggers,
  PATHS.runners,
  PATHS.health,
  PATHS.records,
  PATHS.record,
  PATHS.memory,
  PATHS.counters,
  PATHS.gate,
  PATHS.backlog,
  PATHS.costs,
];
/** Pages of one decision, session or trigger. */
const TARGET_REGEXP = /^\/(gate_decisions|sessions|triggers)\/[0-9]{1,16}$/;

/** What signing in needs. */
export interface SignInParts {
  /** Judges the key. */
  readonly gate: Gate;
  /** Issues the cookie. */
  readonly signIns: SignIns;
  /** Whether there is any key to sign in with. */
  readonly hasKeys: boolean;
  /** Reads the file of people. */
  readonly people: () => Promise<UsersReading>;
}

/** The form, with a word about why it is shown. */
export async function showSignIn(
  c: Context<RequestFacts>,
  { signIns, hasKeys, people }: SignInParts,
): Promise<Page> {
  const reading = await people();
  const message = !hasKeys
    ? note(
      "warn",
      "This server has no API key, so nobody can sign in. Set API_KEYS and start it again.",
    )
    : c.req.query("signed_out") !== undefined
    ? markup`<div role="status">${note("good", "You are signed out.")}</div>`
    : (await signIns.check(c)).kind === "invalid"
    ? note("calm", "Your sign-in has ended. Sign in again to go on.")
    : reading.kind === "broken"
    ? note("warn", `${reading.problem}.`)
    : undefined;
  return form(ownPath(c.req.query("next")), message);
}

/** Judges the form: a redirect, or the form again with what is wrong. */
export async function takeSignIn(
  c: Context<RequestFacts>,
  { gate, signIns, people }: SignInParts,
): Promise<Page | string> {
  const read = await readForm(c.req.raw, {
    bytes: MAX_FORM_BYTES,
    ms: gate.bodyLimitMs,
  });
  if (read === "too_slow") {
    const text = "The form did not arrive in time. Try again.";
    return form(ownPath(undefined), alert(text), 408);
  }
  if (read === "too_large") {
    return {
      title: "Not accepted",
      status: 413,
      body: note("bad", `A form has at most ${MAX_FORM_BYTES} bytes.`),
    };
  }
  const { fields } = read;
  const next = ownPath(fields.next);
  const again = (status: PageStatus, text: string) =>
    form(next, alert(text), status);
  const key = typeof fields.key === "string" ? fields.key.trim() : "";
  if (key === "") return again(400, "Enter a key.");
  const reading = await people();
  const user = reading.kind === "users"
    ? userOfKey(reading.users, key)
    : undefined;
  if (user !== undefined) {
    await signIns.beginAs(c, user);
    gate.services.log.info("page_sign_in", {
      address: c.env.address,
      user: user.name,
    });
    return next;
  }
  const verdict = await judge(key, c.env.address, gate);
  if (verdict.kind === "braked") {
    c.header("Retry-After", String(verdict.seconds));
    return again(
      429,
      `Too many wrong keys came from your address. Try again in ${verdict.seconds} s; clients behind one proxy share its address.`,
    );
  }
  if (await isRunner(key, gate)) {
    return again(
      403,
      "That is a runner’s token. These pages are for people: sign in with a key of your own, or an API key.",
    );
  }
  if (verdict.kind === "unknown") {
    return again(
      401,
      key.startsWith(USER_KEY_MARK)
        ? reading.kind === "unset"
          ? "That is the key of a person, and this server has no file of people: set USERS."
          : "That is not the key of a person whom this server knows."
        : "That is not an API key of this server, nor a person’s.",
    );
  }
  if (verdict.caller.kind === "session") {
    return again(
      403,
      "That is a session’s token. These pages are for people: sign in with a key of your own, or an API key.",
    );
  }
  await signIns.begin(c, key);
  gate.services.log.info("page_sign_in", { address: c.env.address });
  return next;
}

/** Where to sign in when `c` is what was asked for. */
export function signInPath(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return link(PATHS.signIn, { next: `${pathname}${search}` });
}

/** A path of these pages, or the first of them. */
export function ownPath(next: unknown): string {
  const url = typeof next === "string" && next.startsWith("/")
    ? URL.parse(next, "http://own.invalid")
    : null;
  return url !== null && url.host === "own.invalid" &&
      (TARGETS.includes(url.pathname) || TARGET_REGEXP.test(url.pathname))
    ? `${url.pathname}${url.search}`
    : PATHS.board;
}

function alert(text: string): Html {
  return markup`<div role="alert">${note("bad", text)}</div>`;
}

function form(
  next: string,
  message: Html | undefined,
  status: PageStatus = 200,
): Page {
  return {
    title: "Sign in",
    status,
    body: markup`
<div class="panel sign-in">
  ${message}
  <p>These pages show what this server keeps and runs. Your own key opens them, and so does any of its API keys.</p>
  <form method="post" action="${PATHS.signIn}">
    <input type="hidden" name="next" value="${next}">
    <input type="text" name="username" value="operator" autocomplete="username" hidden>
    <label for="key">Key</label>
    <input id="key" name="key" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="key-hint">
    <p class="muted" id="key-hint">Your own, which <code>users add</code> made; one of <code>API_KEYS</code>; or the key that the server made, in the file <code>api-key</code> of its data folder.</p>
    <button type="submit">Sign in</button>
  </form>
</div>`,
  };
}
