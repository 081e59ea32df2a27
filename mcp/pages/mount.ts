/**
 * The pages for operators: routes, and who may see them.
 *
 * A browser signs in with an API key and has a cookie from then on; a program
 * sends its key with each request, as to any other route. What a page changes is
 * a person's to decide, so its forms are taken from a browser that signed in,
 * and from this page alone. No page runs a script, and none is shown inside
 * another site's page.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { credentialOf } from "../http/auth.ts";
import { refuse } from "../http/envelope.ts";
import { toCallerText } from "../errors.ts";
import {
  type App,
  type Gate,
  refuseButOperators,
  type RequestFacts,
} from "../http/gate.ts";
import { countersPage } from "./counters_page.ts";
import { backlogPage } from "./backlog/backlog_page.ts";
import { LEVERS, pullLever } from "./backlog/pull_lever.ts";
import { costsPage } from "./costs/costs_page.ts";
import { decisionPage } from "./gate/decision_page.ts";
import { decisionsPage } from "./gate/decisions_page.ts";
import { giveFeedback } from "./gate/give_feedback.ts";
import { healthPage } from "./health_page.ts";
import {
  ASSETS,
  type Page,
  PATHS,
  sendPage,
  setPageHeaders,
} from "./layout.ts";
import { markup } from "./markup.ts";
import { note } from "./parts.ts";
import { type FormFields, MAX_FIELD_BYTES, readForm } from "./read_form.ts";
import { recordsPage } from "./records_page.ts";
import { showSignIn, signInPath, takeSignIn } from "./sign_in.ts";
import { createSignIns } from "./sign_in_cookie.ts";

const OUTSIDE = { isInside: false, hasSignOut: false };

type PageContext = Context<RequestFacts>;

/** Mounts the pages. `now` is the clock, in milliseconds since 1970. */
export function mountPages(
  app: App,
  gate: Gate,
  apiKeys: readonly string[],
  now: () => number = Date.now,
): void {
  const signIns = createSignIns(apiKeys, now);
  const parts = { gate, signIns, hasKeys: apiKeys.length > 0 };
  const pages = new Hono<RequestFacts>();

  const forOperators =
    (read: (c: PageContext) => Page | Promise<Page>) =>
    async (c: PageContext) => {
      if (credentialOf(c.req.raw.headers) !== undefined) {
        const refused = await refuseButOperators(c, gate, "This page");
        if (refused !== undefined) return refused;
        return await sendPage(c, await read(c), {
          isInside: true,
          hasSignOut: false,
        });
      }
      if (await signIns.check(c) !== "valid") return goTo(c, signInPath(c));
      return await sendPage(c, await read(c), {
        isInside: true,
        hasSignOut: true,
      });
    };
  const { services } = gate;
  pages.get("/", (c) => goTo(c, PATHS.health));
  pages.get(
    PATHS.health,
    forOperators(() => healthPage(services, now())),
  );
  pages.get(
    PATHS.records,
    forOperators((c) => recordsPage(services, c.req.query(), now())),
  );
  pages.get(
    PATHS.counters,
    forOperators((c) => countersPage(services, c.req.query(), now())),
  );

  pages.get(
    PATHS.gate,
    forOperators((c) => decisionsPage(services, c.req.query(), now())),
  );
  pages.get(
    `${PATHS.gate}/:id{[0-9]{1,16}}`,
    forOperators((c) =>
      decisionPage(services, Number(c.req.param("id")), { now: now() })
    ),
  );
  pages.get(
    PATHS.backlog,
    forOperators((c) => backlogPage(services, c.req.query(), { now: now() })),
  );
  pages.get(
    PATHS.costs,
    forOperators((c) => costsPage(services, c.req.query())),
  );

  const ownForms = csrf({ origin: isOwnOrigin });
  // A path to go to, or the page again with what is wrong.
  const ofPerson =
    (take: (c: PageContext, fields: FormFields) => Promise<Page | string>) =>
    async (c: PageContext) => {
      if (credentialOf(c.req.raw.headers) !== undefined) {
        return refuse(
          c,
          403,
          "forbidden",
          "This is for people: it is taken from the page's own form in a browser that signed in, and from no program",
        );
      }
      if (await signIns.check(c) !== "valid") return goTo(c, PATHS.signIn);
      const limits = { bytes: MAX_FIELD_BYTES, ms: gate.bodyLimitMs };
      const fields = await readForm(c.req.raw, limits);
      const outcome = typeof fields === "string"
        ? unreadPage(fields)
        : await take(c, fields);
      return typeof outcome === "string"
        ? goTo(c, outcome)
        : sendPage(c, outcome, { isInside: true, hasSignOut: true });
    };
  pages.post(
    `${PATHS.gate}/:id{[0-9]{1,16}}/feedback`,
    ownForms,
    ofPerson((c, fields) =>
      giveFeedback(services, Number(c.req.param("id")), { fields, now: now() })
    ),
  );
  for (const lever of LEVERS) {
    pages.post(
      `${PATHS.backlog}/:id{[0-9]{1,16}}/${lever}`,
      ownForms,
      ofPerson((c, fields) =>
        pullLever(services, lever, {
          id: Number(c.req.param("id")),
          fields,
          now: now(),
        })
      ),
    );
  }
  pages.get(
    PATHS.signIn,
    async (c) =>
      await signIns.check(c) === "valid"
        ? goTo(c, PATHS.health)
        : sendPage(c, await showSignIn(c, parts), OUTSIDE),
  );
  pages.post(PATHS.signIn, ownForms, async (c) => {
    const outcome = await takeSignIn(c, parts);
    return typeof outcome === "string"
      ? goTo(c, outcome)
      : sendPage(c, outcome, OUTSIDE);
  });
  pages.post(PATHS.signOut, ownForms, (c) => {
    signIns.end(c);
    return goTo(c, `${PATHS.signIn}?signed_out=1`);
  });

  for (const [path, { body, type }] of ASSETS) {
    pages.get(path, (c) => {
      setPageHeaders(c);
      c.header("Cache-Control", "public, max-age=31536000, immutable");
      return c.body(body, 200, { "Content-Type": type });
    });
  }
  pages.onError((error, c) => sendPage(c, errorPage(error, gate), OUTSIDE));
  app.route("/", pages);
}

/** See Other: the method of what follows is GET. */
function goTo(c: PageContext, path: string): Response {
  setPageHeaders(c);
  return c.redirect(path, 303);
}

/**
 * Whether a form comes from here. A proxy may end TLS, so only the host counts;
 * browsers on TLS also send Sec-Fetch-Site, which needs no host at all.
 */
function isOwnOrigin(origin: string, c: Context): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && host !== "" && host === c.req.header("host");
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

function errorPage(error: Error, { services }: Gate): Page {
  if (error instanceof HTTPException && error.status === 403) {
    return {
      title: "Not accepted",
      status: 403,
      body: note(
        "bad",
        "This form did not come from this server’s own page. Behind a proxy, have it pass the Host header on unchanged.",
      ),
    };
  }
  return {
    title: "Not available",
    status: 503,
    body: markup`
${note("bad", `${toCallerText(error, services.log)}.`)}
<p><a href="">Try again</a>, or see the <a href="${PATHS.health}">health page</a>.</p>`,
  };
}
