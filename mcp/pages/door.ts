/**
 * The door of all pages: who may open one, whose forms are taken, and what
 * stays open for what is live.
 *
 * @module
 */
import type { Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { findRunnerByToken, isRunnerToken } from "../../store/turns/mod.ts";
import { credentialOf } from "../http/auth.ts";
import { refuse } from "../http/envelope.ts";
import {
  type Gate,
  refuseButOperators,
  type RequestFacts,
} from "../http/gate.ts";
import type { Services } from "../services.ts";
import type { StreamHolder } from "./live/event_streams.ts";
import { type Page, PATHS, sendPage, setPageHeaders } from "./layout.ts";
import { note } from "./parts.ts";
import { type Person, personOf } from "./person.ts";
import {
  type FieldLists,
  type FormFields,
  MAX_FIELD_BYTES,
  readForm,
} from "./read_form.ts";
import { signInPath } from "./sign_in.ts";
import type { SignIns } from "./sign_in_cookie.ts";

/** A request of a page. */
export type PageContext = Context<RequestFacts>;

/** What a page is made from. */
export interface PageCall {
  /** The request. */
  readonly c: PageContext;
  /** Who looks. */
  readonly person: Person;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
}

/** What a stream is opened with. */
export interface FeedCall extends PageCall {
  /** Whose sign-in it hangs on; undefined for a program. */
  readonly holder?: StreamHolder;
}

/** What a form is taken with. */
export interface FormCall extends PageCall {
  /** Its fields, the last of each name. */
  readonly fields: FormFields;
  /** All values of its fields. */
  readonly lists: FieldLists;
}

/** Where a family of pages is mounted. */
export interface PageDoor {
  /** What pages are built from. */
  readonly services: Services;
  /** A page for whoever may look. */
  page(path: string, read: (call: PageCall) => Page | Promise<Page>): void;
  /**
   * A form of a page: a path to go to, or the page with what is wrong. One that
   * is `byReaders`, too, sees to it that they change what is their own alone.
   */
  form(
    path: string,
    take: (call: FormCall) => Promise<Page | string>,
    options?: { readonly byReaders?: boolean },
  ): void;
  /** What a page's own script reads; a stream stays open. */
  feed(path: string, open: (call: FeedCall) => Promise<Response>): void;
}

/** What the door is made of. */
export interface DoorParts {
  /** The routes of pages. */
  readonly pages: Hono<RequestFacts>;
  /** Who gets in. */
  readonly gate: Gate;
  /** Who is signed in. */
  readonly signIns: SignIns;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes it. */
export function openDoor({ pages, gate, signIns, now }: DoorParts): PageDoor {
  const { services } = gate;
  const ownForms = csrf({ origin: isOwnOrigin });
  return {
    services,
    page(path, read) {
      pages.get(path, async (c) => {
        const program = await programOf(c, gate);
        if (program instanceof Response) return program;
        if (program !== undefined) {
          const page = await read({ c, person: program, now: now() });
          return await sendPage(c, page, { isInside: true });
        }
        const signIn = await signIns.check(c);
        if (signIn.kind !== "valid") return goTo(c, signInPath(c));
        const { person } = signIn;
        const page = await read({ c, person, now: now() });
        return await sendPage(c, page, { isInside: true, person });
      });
    },
    feed(path, open) {
      pages.get(path, async (c) => {
        const program = await programOf(c, gate);
        if (program instanceof Response) return program;
        if (program !== undefined) {
          return await open({ c, person: program, now: now() });
        }
        const signIn = await signIns.check(c);
        if (signIn.kind !== "valid") {
          return refuse(c, 401, "unauthorized", "Sign in to read this");
        }
        const { person, holder } = signIn;
        return await open({ c, person, holder, now: now() });
      });
    },
    form(path, take, { byReaders = false } = {}) {
      pages.post(path, ownForms, async (c) => {
        if (credentialOf(c.req.raw.headers) !== undefined) {
          return refuse(
            c,
            403,
            "forbidden",
            "This is for people: it is taken from the page's own form in a browser that signed in, and from no program",
          );
        }
        const signIn = await signIns.check(c);
        if (signIn.kind !== "valid") return goTo(c, PATHS.signIn);
        const { person } = signIn;
        const { barred, name } = person;
        const outcome = barred === undefined || (byReaders && name !== null)
          ? await takeForm(c, person)
          : barredPage(barred);
        return typeof outcome === "string"
          ? goTo(c, outcome)
          : await sendPage(c, outcome, { isInside: true, person });
      });

      async function takeForm(
        c: PageContext,
        person: Person,
      ): Promise<Page | string> {
        const limits = { bytes: MAX_FIELD_BYTES, ms: gate.bodyLimitMs };
        const form = await readForm(c.req.raw, limits);
        return typeof form === "string"
          ? unreadPage(form)
          : await take({ c, person, now: now(), ...form });
      }
    },
  };
}

/**
 * The program that sends a request, if one does: it reads with an API key, or is
 * refused. Tokens of sessions, turns and runners open no page.
 */
async function programOf(
  c: PageContext,
  gate: Gate,
): Promise<Person | Response | undefined> {
  const credential = credentialOf(c.req.raw.headers);
  if (credential === undefined) return undefined;
  if (await isRunner(credential, gate)) {
    return refuse(
      c,
      403,
      "forbidden",
      "This page is for operators: a runner's token does not open it, an API key does",
    );
  }
  const refused = await refuseButOperators(c, gate, "This page");
  return refused ?? personOf({ kind: "users", users: [] });
}

/** Whether a credential is the token of a runner. */
export async function isRunner(
  credential: string,
  { services }: Gate,
): Promise<boolean> {
  if (!isRunnerToken(credential)) return false;
  const runner = await findRunnerByToken(
    await services.store.db(),
    credential,
  );
  return runner !== undefined;
}

/** See Other: the method of what follows is GET. */
export function goTo(c: PageContext, path: string): Response {
  setPageHeaders(c);
  return c.redirect(path, 303);
}

/**
 * Whether a form comes from here. A proxy may end TLS, so only the host counts;
 * browsers on TLS also send Sec-Fetch-Site, which needs no host at all.
 */
export function isOwnOrigin(origin: string, c: Context): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && host !== "" && host === c.req.header("host");
}

/** What somebody is shown who may not do what they asked for. */
export function barredPage(why: string): Page {
  return {
    title: "Not allowed",
    status: 403,
    body: note("bad", `${why}. Nothing was changed.`),
  };
}

function unreadPage(why: "too_slow" | "too_large"): Page {
  return {
    title: "Not accepted",
    status: why === "too_slow" ? 408 : 413,
    body: note(
      "bad",
      why === "too_slow"
        ? "The form did not arrive in time. Nothing was changed: go back and try again."
        : `A form has at most ${MAX_FIELD_BYTES} bytes. Nothing was changed.`,
    ),
  };
}
