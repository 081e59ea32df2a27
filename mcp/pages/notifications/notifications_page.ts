/**
 * `/notifications`: what people are told of their sessions.
 *
 * @module
 */
import {
  countNotifications,
  dismiss,
  dismissAllRead,
  listNotifications,
  markAllRead,
  markRead,
  type Notification,
} from "../../../store/around_sessions/mod.ts";
import { FleetRefusalError } from "../../../fleet/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { figure, longText, text, time } from "../format.ts";
import { LIVE_SCRIPTS, type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { link, state } from "../parts.ts";
import { pushPanel } from "../push/push_panel.ts";
import { given } from "../query.ts";
import { fieldOf } from "../read_form.ts";
import { refusalPage } from "../refusal_page.ts";

const PAGE_NOTICES = 50;
const MAX_OFFSET = 1_000_000;

const VIEWS = {
  unread: "Unread",
  read: "Read",
  all: "All",
} as const;

type View = keyof typeof VIEWS;

/** What they tell, by their type. */
const TYPES: Readonly<Record<string, string>> = {
  session_needs_input: "Rests",
  session_failed: "Failed",
  push_notification: "Says",
  elicitation: "Asks",
};

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function notificationsPage(
  services: Services,
  { c, person, now }: PageCall,
): Promise<Page> {
  const asked = c.req.query("view");
  const view = asked === "read" || asked === "all" ? asked : "unread";
  const offset = offsetOf(given(c.req.query("offset")));
  const filter = view === "all" ? {} : { isRead: view === "read" };
  const mayWrite = person.barred === undefined;
  const db = await services.store.db();
  const [notices, total, unread, push] = await Promise.all([
    listNotifications(db, filter, { limit: PAGE_NOTICES, offset }),
    countNotifications(db, filter),
    countNotifications(db, { isRead: false }),
    pushPanel(services, { person, now }),
  ]);
  const next = offset + notices.length;
  return {
    title: "Notifications",
    ...(mayWrite ? { script: LIVE_SCRIPTS.push } : {}),
    body: markup`
${views(view, unread)}
${
      mayWrite &&
      markup`<form class="buttons" method="post" action="${PATHS.notifications}">
  <button name="do" value="read_all" class="quiet">Mark all read</button>
  <button name="do" value="dismiss_all" class="quiet">Dismiss all that are read</button>
</form>`
    }
${
      notices.length === 0
        ? markup`<p class="empty">Nothing is here.</p>`
        : markup`<ul class="notices">${
          notices.map((one) => item(one, { mayWrite, now }))
        }</ul>`
    }
${
      next < total && notices.length > 0 &&
      markup`<nav class="paging" aria-label="Paging"><a rel="next" href="${
        link(PATHS.notifications, { view, offset: String(next) })
      }">Next page</a></nav>`
    }
${push}`,
  };
}

/** Reads or dismisses them: the page again, or what is wrong. */
export async function changeNotifications(
  { store }: Services,
  { fields }: FormCall,
): Promise<Page | string> {
  const id = Number(fieldOf(fields, "id") ?? 0);
  const wish = fieldOf(fields, "do");
  try {
    const db = await store.db();
    await db.transaction(async (tx) => {
      switch (wish) {
        case "read_all":
          return await markAllRead(tx, {});
        case "dismiss_all":
          return await dismissAllRead(tx, {});
        case "read":
          if (Number.isSafeInteger(id) && await markRead(tx, id)) return;
          throw gone(id);
        case "dismiss": {
          // A person who dismisses one has read it.
          const isThere = Number.isSafeInteger(id) && await markRead(tx, id);
          if (isThere && await dismiss(tx, id) === "dismissed") return;
          throw gone(id);
        }
        default:
          throw new FleetRefusalError(
            "bad_argument",
            "The form asks for nothing that this page does. Nothing was changed",
          );
      }
    });
    return PATHS.notifications;
  } catch (error) {
    return refusalPage("Notifications", error);
  }
}

function gone(id: number): FleetRefusalError {
  return new FleetRefusalError(
    "not_found",
    `There is no notification ${id} any more. Nothing was changed`,
  );
}

function views(current: View, unread: number): Html {
  const items = Object.entries(VIEWS).map(([view, label]) => {
    const mark = view === current && markup` aria-current="true"`;
    return markup`<li><a href="${
      link(PATHS.notifications, { view })
    }"${mark}>${label}${view === "unread" && ` (${figure(unread)})`}</a></li>`;
  });
  return markup`<nav class="views" aria-label="Views"><ul>${items}</ul></nav>`;
}

function item(
  one: Notification,
  { mayWrite, now }: { readonly mayWrite: boolean; readonly now: number },
): Html {
  const { id, sessionId, sessionTitle, type, message, isRead } = one;
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet" aria-label="${label}: notification ${id}">${label}</button>`;
  return markup`<li class="panel">
<p>${
    state(TYPES[type] ?? "Tells", isRead ? "calm" : "warn")
  } <a href="${PATHS.sessions}/${sessionId}">#${sessionId} ${
    text(sessionTitle)
  }</a></p>
${message !== null && markup`<p class="long">${longText(message)}</p>`}
<p class="muted">${time(one.createdAt, now)}</p>
${
    mayWrite &&
    markup`<form class="buttons" method="post" action="${PATHS.notifications}"><input type="hidden" name="id" value="${id}">${
      !isRead && button("read", "Mark read")
    }${button("dismiss", "Dismiss")}</form>`
  }</li>`;
}

function offsetOf(given: string | undefined): number {
  const offset = Number(given ?? 0);
  return Number.isInteger(offset) && offset >= 0 && offset <= MAX_OFFSET
    ? offset
    : 0;
}
