/**
 * The pages for people: their routes.
 *
 * A browser signs in with a key and has a cookie from then on; a program sends
 * its API key with each request, as to any other route. What a page changes is a
 * person's to decide, so its forms are taken from a browser that signed in, and
 * from this page alone. None is shown inside another site's page.
 *
 * @module
 */
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { toCallerText } from "../errors.ts";
import type { App, Gate, RequestFacts } from "../http/gate.ts";
import { readUsers } from "../people/users.ts";
import { mountBoard } from "./board/mount_board.ts";
import { countersPage } from "./counters_page.ts";
import { backlogPage } from "./backlog/backlog_page.ts";
import { LEVERS, pullLever } from "./backlog/pull_lever.ts";
import { costsPage } from "./costs/costs_page.ts";
import { goTo, isOwnOrigin, openDoor, type PageDoor } from "./door.ts";
import { decisionPage } from "./gate/decision_page.ts";
import { decisionsPage } from "./gate/decisions_page.ts";
import { giveFeedback } from "./gate/give_feedback.ts";
import { healthPage } from "./health_page.ts";
import { PAGE_ACTIONS, takeAction } from "./health/take_action.ts";
import {
  ASSETS,
  type Page,
  PATHS,
  sendPage,
  setPageHeaders,
  WORKER,
} from "./layout.ts";
import type { EventStreams } from "./live/event_streams.ts";
import { markup } from "./markup.ts";
import {
  changeNotifications,
  notificationsPage,
} from "./notifications/notifications_page.ts";
import { forgetOnPage, memoryPage } from "./memory/memory_page.ts";
import { note } from "./parts.ts";
import { changePush } from "./push/push_panel.ts";
import { changeRecord, recordPage } from "./records/record_page.ts";
import { recordsPage } from "./records_page.ts";
import { mountSession } from "./session/mount_session.ts";
import { changeRunner, runnersPage } from "./runners/runners_page.ts";
import {
  changeTrigger,
  newTriggerPage,
  takeNewTrigger,
  triggerPage,
} from "./triggers/trigger_page.ts";
import { triggersPage } from "./triggers/triggers_page.ts";
import { showSignIn, takeSignIn } from "./sign_in.ts";
import { createSignIns } from "./sign_in_cookie.ts";

const OUTSIDE = { isInside: false };
const ID = ":id{[0-9]{1,16}}";

/** Mounts the pages. */
export function mountPages(
  app: App,
  gate: Gate,
  apiKeys: readonly string[],
  { streams, now = Date.now }: {
    /** What stays open for what is live. */
    readonly streams: EventStreams;
    /** The clock, in milliseconds since 1970. @default {Date.now} */
    readonly now?: () => number;
  },
): void {
  const people = () => readUsers(gate.services.usersFile);
  const signIns = createSignIns(apiKeys, { people, now });
  const parts = { gate, signIns, people, hasKeys: apiKeys.length > 0 };
  const pages = new Hono<RequestFacts>();
  streams.reviewBy(signIns.review);
  const door = openDoor({ pages, gate, signIns, now });

  pages.get("/", (c) => goTo(c, PATHS.board));
  mountBoard(door, { streams, now });
  mountSession(door, { streams, now });
  mountAround(door);
  mountKept(door);
  mountReadings(door);
  mountLedgers(door);

  pages.get(
    PATHS.signIn,
    async (c) =>
      (await signIns.check(c)).kind === "valid"
        ? goTo(c, PATHS.board)
        : sendPage(c, await showSignIn(c, parts), OUTSIDE),
  );
  const ownForms = csrf({ origin: isOwnOrigin });
  pages.post(PATHS.signIn, ownForms, async (c) => {
    const outcome = await takeSignIn(c, parts);
    return typeof outcome === "string"
      ? goTo(c, outcome)
      : sendPage(c, outcome, OUTSIDE);
  });
  pages.post(PATHS.signOut, ownForms, async (c) => {
    const signIn = await signIns.check(c);
    if (signIn.kind === "valid") streams.endOf(signIn.holder.signIn);
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
  pages.get(PATHS.pushWorker, (c) => {
    setPageHeaders(c);
    c.header("Cache-Control", "no-cache");
    return c.body(WORKER.body, 200, { "Content-Type": WORKER.type });
  });
  pages.onError((error, c) => sendPage(c, errorPage(error, gate), OUTSIDE));
  app.route("/", pages);
}

/** What is looked at, and what an operator does about health. */
function mountReadings({ page, form, services }: PageDoor): void {
  page(PATHS.health, ({ now }) => healthPage(services, now));
  for (const action of PAGE_ACTIONS) {
    form(
      `${PATHS.health}/${action}`,
      (call) => takeAction(services, action, call),
    );
  }
  page(
    PATHS.records,
    ({ c, now }) => recordsPage(services, c.req.query(), now),
  );
  page(
    PATHS.counters,
    ({ c, now }) => countersPage(services, c.req.query(), now),
  );
  page(PATHS.costs, ({ c }) => costsPage(services, c.req.query()));
}

/** What is around sessions: notices, triggers, runners. */
function mountAround({ page, form, services }: PageDoor): void {
  page(PATHS.notifications, (call) => notificationsPage(services, call));
  form(PATHS.notifications, (call) => changeNotifications(services, call));
  form(PATHS.push, (call) => changePush(services, call), { byReaders: true });
  page(PATHS.runners, (call) => runnersPage(services, call));
  form(`${PATHS.runners}/${ID}`, (call) => changeRunner(services, call));
  page(PATHS.triggers, (call) => triggersPage(services, call));
  page(`${PATHS.triggers}/new`, (call) => newTriggerPage(services, call));
  form(`${PATHS.triggers}/new`, (call) => takeNewTrigger(services, call));
  page(`${PATHS.triggers}/${ID}`, (call) => triggerPage(services, call));
  form(`${PATHS.triggers}/${ID}`, (call) => changeTrigger(services, call));
}

/** What is kept, as a person looks at it and changes it. */
function mountKept({ page, form, services }: PageDoor): void {
  page(PATHS.memory, (call) => memoryPage(services, call));
  form(`${PATHS.memory}/forget`, (call) => forgetOnPage(services, call));
  page(PATHS.record, (call) => recordPage(services, call));
  form(PATHS.record, (call) => changeRecord(services, call));
}

/** The ledger of decisions and the queue of work, with a person's levers. */
function mountLedgers({ page, form, services }: PageDoor): void {
  page(
    PATHS.gate,
    ({ c, now }) => decisionsPage(services, c.req.query(), now),
  );
  page(
    `${PATHS.gate}/${ID}`,
    ({ c, now, person }) =>
      decisionPage(services, Number(c.req.param("id")), { now, person }),
  );
  form(
    `${PATHS.gate}/${ID}/feedback`,
    (call) => giveFeedback(services, Number(call.c.req.param("id")), call),
  );
  page(
    PATHS.backlog,
    ({ c, ...call }) => backlogPage(services, c.req.query(), call),
  );
  for (const lever of LEVERS) {
    form(
      `${PATHS.backlog}/${ID}/${lever}`,
      (call) =>
        pullLever(services, lever, {
          id: Number(call.c.req.param("id")),
          fields: call.fields,
          now: call.now,
          person: call.person,
        }),
    );
  }
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
