/**
 * The frame of every page: head, navigation, footer, and the headers that keep
 * a page from running or loading anything but its own stylesheet and icon.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Context } from "hono";
import { VERSION } from "../version.ts";
import { type Html, markup } from "./markup.ts";
import type { Person } from "./person.ts";
import ICON from "./icon.svg" with { type: "text" };
import STYLE from "./style.css" with { type: "text" };
import FOLLOW_SCRIPT from "./live/follow.js" with { type: "text" };
import BOARD_STYLE from "./board/board.css" with { type: "text" };
import BOARD_SCRIPT from "./board/board.js" with { type: "text" };
import SESSION_STYLE from "./session/session.css" with { type: "text" };
import SESSION_SCRIPT from "./session/session.js" with { type: "text" };
import BACKLOG_SCRIPT from "./backlog/backlog.js" with { type: "text" };
import PUSH_SCRIPT from "./push/push.js" with { type: "text" };
import PUSH_WORKER from "./push/push_worker.js" with { type: "text" };

/** Statuses of pages. */
export type PageStatus =
  | 200
  | 400
  | 401
  | 403
  | 404
  | 408
  | 409
  | 413
  | 429
  | 503;

/** Paths of the pages. */
export const PATHS = {
  board: "/board",
  boardFeed: "/board/feed",
  categories: "/board/categories",
  sessions: "/sessions",
  newSession: "/sessions/new",
  notifications: "/notifications",
  push: "/notifications/push",
  pushWorker: "/push_worker.js",
  triggers: "/triggers",
  runners: "/runners",
  health: "/health",
  records: "/supervisor/agent_root_records",
  memory: "/memory",
  record: "/supervisor/agent_root_records/edit",
  counters: "/supervisor/agent_root_record_counters",
  gate: "/gate_decisions",
  backlog: "/backlog",
  costs: "/costs",
  signIn: "/sign_in",
  signOut: "/sign_out",
} as const;

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** Files that pages load, by path; a path changes with its content. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  assetOf(
    "style",
    "css",
    STYLE + BOARD_STYLE + SESSION_STYLE,
    "text/css; charset=utf-8",
  ),
  assetOf("icon", "svg", ICON, "image/svg+xml"),
  assetOf("board", "js", FOLLOW_SCRIPT + BOARD_SCRIPT, SCRIPT_TYPE),
  assetOf("session", "js", FOLLOW_SCRIPT + SESSION_SCRIPT, SCRIPT_TYPE),
  assetOf("push", "js", PUSH_SCRIPT, SCRIPT_TYPE),
  assetOf("backlog", "js", BACKLOG_SCRIPT, SCRIPT_TYPE),
]);

/**
 * What shows notices in a browser. Its path stays the same: a browser asks
 * there whether there is a new one, long after the page was closed.
 */
export const WORKER: Asset = { body: PUSH_WORKER, type: SCRIPT_TYPE };

const [
  STYLE_PATH,
  ICON_PATH,
  BOARD_PATH = "",
  SESSION_PATH = "",
  PUSH_PATH = "",
  BACKLOG_PATH = "",
] = ASSETS.keys();

/** Scripts of pages on which something is live. */
export const LIVE_SCRIPTS = {
  board: BOARD_PATH,
  session: SESSION_PATH,
  push: PUSH_PATH,
  backlog: BACKLOG_PATH,
} as const;

const NAVIGATION: readonly (readonly [path: string, label: string])[] = [
  [PATHS.board, "Board"],
  [PATHS.notifications, "Notifications"],
  [PATHS.triggers, "Triggers"],
  [PATHS.backlog, "Backlog"],
  [PATHS.gate, "Gate decisions"],
  [PATHS.costs, "Costs"],
  [PATHS.runners, "Runners"],
  [PATHS.memory, "Memory"],
  [PATHS.records, "Records"],
  [PATHS.counters, "Counters"],
  [PATHS.health, "Health"],
];

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Of pages on which something is live: they run our own file, and listen. */
const LIVE_POLICY = `${POLICY}; script-src 'self'; connect-src 'self'`;

const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // A page that sent no referrer could not prove where its forms come from.
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** A file beside the pages. */
export interface Asset {
  /** What it holds. */
  readonly body: string;
  /** Its media type. */
  readonly type: string;
}

/** A page without its frame. */
export interface Page {
  /** Heading and title. */
  readonly title: string;
  /** What follows the heading. */
  readonly body: Html;
  /** Our own script that keeps it live, a path of {@link ASSETS}. */
  readonly script?: string;
  /** Whether it takes the width of the window. @default {false} */
  readonly isBroad?: boolean;
  /** @default {200} */
  readonly status?: PageStatus;
}

/** How a page is framed. */
export interface Frame {
  /** Whether there is something to navigate to. */
  readonly isInside: boolean;
  /** Who is signed in, where there is a cookie to end. */
  readonly person?: Person;
}

/** Puts the headers on an answer, page or redirect. */
export function setPageHeaders(c: Context): void {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
}

/** Answers with a page. */
export function sendPage(
  c: Context,
  page: Page,
  frame: Frame,
): Response | Promise<Response> {
  setPageHeaders(c);
  if (page.script !== undefined) {
    c.header("Content-Security-Policy", LIVE_POLICY);
  }
  const width = page.isBroad === true ? "wide broad" : "wide";
  return c.html(
    markup`<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="robots" content="noindex">
  <title>${page.title} · Rootcellar</title>
  <link rel="stylesheet" href="${STYLE_PATH}">
  <link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
  ${
      page.script !== undefined &&
      markup`<script type="module" src="${page.script}"></script>`
    }
</head>
<body>
  <a class="skip" href="#content">Skip to content</a>
  <header class="top"><div class="wide broad">
    <a class="brand" href="${PATHS.board}"><img src="${ICON_PATH}" alt="" width="28" height="28"> Rootcellar</a>
    ${frame.isInside && navigation(c.req.path)}
    ${frame.person !== undefined && signOut(frame.person)}
  </div></header>
  <main class="${width}" id="content" tabindex="-1">
    <h1>${page.title}</h1>
    ${page.body}
  </main>
  <footer class="${width} muted">
    ${frame.person !== undefined && signedIn(frame.person)}
    Rootcellar ${VERSION}
  </footer>
</body>
</html>
`,
    page.status ?? 200,
  );
}

function navigation(current: string): Html {
  const items = NAVIGATION.map(([path, label]) => {
    const mark = path === current && markup` aria-current="page"`;
    return markup`<li><a href="${path}"${mark}>${label}</a></li>`;
  });
  return markup`<nav aria-label="Pages"><ul>${items}</ul></nav>`;
}

function signOut({ name }: Person): Html {
  return markup`
  <form class="sign-out" method="post" action="${PATHS.signOut}">
    ${name !== null && markup`<span class="muted">${name}</span>`}
    <button type="submit" class="quiet">Sign out</button>
  </form>`;
}

/** What somebody should know of their sign-in. */
function signedIn({ notice, barred }: Person): Html | undefined {
  const words = notice ?? (barred === undefined ? undefined : `${barred}.`);
  return words === undefined ? undefined : markup`<p>${words}</p>`;
}

function assetOf(
  name: string,
  extension: string,
  body: string,
  type: string,
): [string, Asset] {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 12);
  return [`/assets/${name}-${digest}.${extension}`, { body, type }];
}
