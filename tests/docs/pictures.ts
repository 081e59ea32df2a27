/**
 * Takes the pictures of the pages in `docs/images` from demo data:
 * `deno task docs:pictures`. It needs Chromium and npm, as the tests of pages do.
 *
 * @module
 */
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { ask } from "../../fleet/elicitations/ask.ts";
import { createMessage } from "../../fleet/queue/manage.ts";
import { startSession } from "../../fleet/sessions/start.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import { recordUsage } from "../../store/costs/mod.ts";
import { openStage } from "../bench/stage.ts";
import { openBrowser } from "../support/browser.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { signIn } from "../support/pages.ts";
import { makePeople } from "../support/people.ts";
import { says } from "../support/says.ts";

const FOLDER = new URL("../../docs/images/", import.meta.url).pathname;
const SIZE = { width: 1_100, height: 760 };
const DAY_MS = 86_400_000;

/** Sessions of the board, and where each stands. */
const SESSIONS = [
  ["Fix the login of the shop", "asks"],
  ["Sort the photos of the harvest", "failed"],
  ["Answer the seed catalogue's questions", "rests"],
  ["Water plan for August", "running"],
  ["Prune the issue list", "running"],
  ["Translate the garden book", "waiting"],
  ["Weekly report", "waiting"],
] as const;

await using stack = new AsyncDisposableStack();
const stage = stack.use(await openStage());
const people = stack.use(await makePeople());
const endpoint = stack.use(
  await openEndpoint({
    allowedHosts: ["127.0.0.1", "localhost"],
    usersFile: people.path,
    test: {
      db: stage.db,
      target: stage.target,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  }),
);
const server = stack.use(Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  (request) => endpoint.handler.fetch(request),
));
const origin = `http://127.0.0.1:${server.addr.port}`;
const shown = await fill(endpoint);
const browser = stack.use(await openBrowser());
const visitor = stack.use(await browser.visit(origin, SIZE));
await visitor.setCookie(origin, await signIn(endpoint, people.keys.ann));
await Deno.mkdir(FOLDER, { recursive: true });
for (
  const [name, path] of [
    ["board", "/board"],
    ["session", `/sessions/${shown}`],
    ["costs", "/costs"],
  ] as const
) {
  await visitor.page.goto(`${origin}${path}`);
  await visitor.page.screenshot({
    path: `${FOLDER}${name}.png`,
    fullPage: false,
  });
}

/** Fills a server with a day of work; the session to be shown. */
async function fill({ services, test: { db } }: TestEndpoint): Promise<number> {
  const fleet = fleetOf(services);
  let shown = 0;
  for (const [title, state] of SESSIONS.toReversed()) {
    const { session: { id } } = await startSession(fleet, {
      agentRoot: "gardener",
      title,
      prompt: "People cannot sign in since Tuesday. Find out why, and fix it.",
      drivenBy: "runner",
      genesis: "web_ui",
      withToken: false,
      author: { name: "ann", channel: "web_ui" },
    });
    if (state === "waiting") continue;
    await leaseTurn(db, id);
    if (state === "failed") {
      const reason = "The disk of its runner is full: 212 MiB are left";
      await endTurn(db, id, { kind: "failed", reason });
    }
    if (state === "rests") await endTurn(db, id);
    if (state !== "asks") continue;
    shown = id;
    await work(endpoint, id);
    await ask(fleet, UNRESTRICTED, id, {
      message: "May I roll the new session store out to all shops?",
      requestedSchema: {
        type: "object",
        properties: {
          where: { type: "string", enum: ["all shops", "the test shop"] },
        },
        required: ["where"],
      },
    });
    await createMessage(fleet, UNRESTRICTED, id, {
      content: "Then write a note for the newsletter.",
    });
  }
  await spend(endpoint);
  return shown;
}

/** What an agent did in its turn. */
async function work(
  { test: { db } }: TestEndpoint,
  id: number,
): Promise<void> {
  const events = [
    ["text", {
      text:
        "The cookie of a sign-in ends after a minute: the new store counts milliseconds.",
    }],
    ["tool", {
      toolCallId: "1",
      title: "Edit shop/session_store.ts",
      kind: "edit",
      status: "completed",
      content: [{
        type: "diff",
        path: "shop/session_store.ts",
        oldText: "export class SessionStore {\n  readonly ttl = 60 * 1_000;\n}",
        newText:
          "export class SessionStore {\n  readonly ttlMs = 60 * 60 * 1_000;\n}",
      }],
    }],
    ["tool", {
      toolCallId: "2",
      title: "deno task test shop",
      kind: "execute",
      status: "completed",
    }],
    ["text", { text: "All 41 tests pass." }],
  ] as const;
  await says(db, id, events);
}

/** Two weeks of requests. */
async function spend({ test: { db } }: TestEndpoint): Promise<void> {
  const models = ["claude-opus-5-5", "claude-haiku-5-5"];
  await recordUsage(
    db,
    Array.from({ length: 42 }, (_, n) => ({
      requestId: `demo ${n}`,
      sessionId: 1 + n % SESSIONS.length,
      turnId: null,
      agentRoot: n % 3 === 0 ? "librarian" : "gardener",
      model: models[n % 2] ?? null,
      isSubagent: false,
      inputTokens: 20_000 + (n * 7_919) % 60_000,
      outputTokens: 4_000 + (n * 3_571) % 9_000,
      cacheReadTokens: 90_000,
      cacheCreationTokens: 0,
      cacheCreation5mTokens: null,
      webSearchRequests: 0,
      reportedUsd: null,
      isPartial: false,
      calledAt: new Date(Date.now() - (n % 14) * DAY_MS),
    })),
  );
}
