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
import { type Page, type PageStatus, PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import { link, note } from "./parts.ts";
import { readForm } from "./read_form.ts";
import type { SignIns } from "./sign_in_cookie.ts";

/** A key and a path; what is longer is no sign-in. */
const MAX_FORM_BYTES = 16 * 1024;

/** Paths that a sign-in may lead to: nothing else is ever redirected to. */
const TARGETS: readonly string[] = [
  PATHS.health,
  PATHS.records,
  PATHS.counters,
  PATHS.gate,
  PATHS.backlog,
  PATHS.costs,
];
/** The page of one decision. */
const TARGET_REGEXP = /^\/gate_decisions\/[0-9]{1,16}$/;

/** What signing in needs. */
export interface SignInParts {
  /** Judges the key. */
  readonly gate: Gate;
  /** Issues the cookie. */
  readonly signIns: SignIns;
  /** Whether there is any key to sign in with. */
  readonly hasKeys: boolean;
}

/** The form, with a word about why it is shown. */
export async function showSignIn(
  c: Context<RequestFacts>,
  { signIns, hasKeys }: SignInParts,
): Promise<Page> {
  const message = !hasKeys
    ? note(
      "warn",
      "This server has no API key, so nobody can sign in. Set API_KEYS and start it again.",
    )
    : c.req.query("signed_out") !== undefined
    ? markup`<div role="status">${note("good", "You are signed out.")}</div>`
    : await signIns.check(c) === "invalid"
    ? note("calm", "Your sign-in has ended. Sign in again to go on.")
    : undefined;
  return form(ownPath(c.req.query("next")), message);
}

/** Judges the form: a redirect, or the form again with what is wrong. */
export async function takeSignIn(
  c: Context<RequestFacts>,
  { gate, signIns }: SignInParts,
): Promise<Page | string> {
  const fields = await readForm(c.req.raw, {
    bytes: MAX_FORM_BYTES,
    ms: gate.bodyLimitMs,
  });
  if (fields === "too_slow") {
    const text = "The form did not arrive in time. Try again.";
    return form(ownPath(undefined), alert(text), 408);
  }
  if (fields === "too_large") {
    return {
      title: "Not accepted",
      status: 413,
      body: note("bad", `A form has at most ${MAX_FORM_BYTES} bytes.`),
    };
  }
  const next = ownPath(fields.next);
  const again = (status: PageStatus, text: string) =>
    form(next, alert(text), status);
  const key = typeof fields.key === "string" ? fields.key.trim() : "";
  if (key === "") return again(400, "Enter an API key.");
  const verdict = await judge(key, c.env.address, gate);
  if (verdict.kind === "braked") {
    c.header("Retry-After", String(verdict.seconds));
    return again(
      429,
      `Too many wrong keys came from your address. Try again in ${verdict.seconds} s; clients behind one proxy share its address.`,
    );
  }
  if (verdict.kind === "unknown") {
    return again(401, "That is not an API key of this server.");
  }
  if (verdict.caller.kind === "session") {
    return again(
      403,
      "That is a session’s token. These pages are for operators: sign in with an API key.",
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
    : PATHS.health;
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
  <p>These pages show what this server keeps. Any of its API keys opens them.</p>
  <form method="post" action="${PATHS.signIn}">
    <input type="hidden" name="next" value="${next}">
    <input type="text" name="username" value="operator" autocomplete="username" hidden>
    <label for="key">API key</label>
    <input id="key" name="key" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="key-hint">
    <p class="muted" id="key-hint">One of <code>API_KEYS</code>; or the key that the server made, in the file <code>api-key</code> of its data folder.</p>
    <button type="submit">Sign in</button>
  </form>
</div>`,
  };
}
