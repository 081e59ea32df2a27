/**
 * `session list` and `session show`: what a person wants to know of sessions.
 *
 * @module
 */
import {
  type Glance,
  readGlances,
  readSessionFacts,
} from "../../../store/session_reads/mod.ts";
import {
  listMessages,
  listSessions,
  readSessionTexts,
  type Session,
  SESSION_STATUSES,
  type SessionStatus,
} from "../../../store/sessions/mod.ts";
import { describeSession, type Services } from "../../../mcp/mod.ts";
import { print, printJson, table, toLine } from "../../output.ts";
import { ConfigError } from "../../settings/config.ts";
import { type Call, textFlag } from "../../verb.ts";
import { agoOf, lastWordsOf, minute, queueOf, stateOf } from "./standing.ts";

const MAX_LISTED = 200;
const LIST_CHARACTERS = 60;
const SHOW_CHARACTERS = 2_000;
const MAX_MESSAGES = 10;
const MESSAGE_CHARACTERS = 160;
const NOTHING: Glance = {
  pending: 0,
  isDelivering: false,
  lastWords: null,
  lastAt: null,
};

/** Lists sessions, newest first. */
export async function listOnTerminal(
  call: Call,
  services: Services,
): Promise<number> {
  const status = textFlag(call, "status");
  if (status !== undefined && !isStatus(status)) {
    throw new ConfigError([
      `--status must be one of ${
        SESSION_STATUSES.join(", ")
      }: it is "${status}"`,
    ]);
  }
  const db = await services.store.db();
  const sessions = await listSessions(db, {
    status,
    includeArchived: call.flags.all === true,
    agentRootKey: textFlag(call, "root"),
    limit: MAX_LISTED,
  });
  const glances = await readGlances(db, sessions.map(({ id }) => id), {
    // One more, so that a longer text is known to be longer.
    characters: LIST_CHARACTERS + 1,
  });
  const glanceAt = ({ id }: Session) => glances.get(id) ?? NOTHING;
  if (call.flags.json === true) {
    printJson(sessions.map((one) => described(one, glanceAt(one))));
    return 0;
  }
  if (sessions.length === 0) {
    print("No sessions; deno task session start --root NAME registers one");
    return 0;
  }
  const now = new Date();
  print(table([
    ["ID", "ROOT", "STATUS", "SINCE", "QUEUE", "TITLE", "LAST WORDS"],
    ...sessions.map((one) => [
      String(one.id),
      one.agentRootKey ?? "-",
      stateOf(one),
      agoOf(one.stateSince, now),
      queueOf(glanceAt(one)),
      one.title,
      lastWordsOf(glanceAt(one), LIST_CHARACTERS),
    ]),
  ]));
  if (sessions.length === MAX_LISTED) {
    print(
      `These are the newest ${MAX_LISTED}; --root and --status narrow the list`,
    );
  }
  return 0;
}

/** Shows one session. */
export async function showOnTerminal(
  call: Call,
  services: Services,
  session: Session,
): Promise<number> {
  const db = await services.store.db();
  const { id } = session;
  const [glances, facts, texts, messages] = await Promise.all([
    readGlances(db, [id], { characters: SHOW_CHARACTERS }),
    readSessionFacts(db, id),
    readSessionTexts(db, id),
    listMessages(db, id, {
      status: "pending",
      limit: MAX_MESSAGES,
      characters: MESSAGE_CHARACTERS,
    }),
  ]);
  const glance = glances.get(id) ?? NOTHING;
  if (call.flags.json === true) {
    printJson({
      ...described(session, glance),
      goal: texts?.goal ?? null,
      transcript_events: facts.events,
      open_questions: facts.openElicitations.map(({ requestId, message }) => ({
        request_id: requestId,
        message,
      })),
    });
    return 0;
  }
  const since = `${minute(session.stateSince)}, ${
    agoOf(session.stateSince, new Date())
  } ago`;
  print(table([
    ["state", `${stateOf(session)} since ${since}`],
    ...(session.failureReason === null
      ? []
      : [["because", session.failureReason]]),
    [
      "driven by",
      session.drivenBy === "client"
        ? "its own client"
        : session.agentRuntime ?? "the default runtime",
    ],
    ["turns", facts.turn === undefined ? "none" : String(facts.turn.ordinal)],
    ["transcript", `${facts.events} event(s); session log ${id} shows it`],
    ["goal", texts?.goal ?? "none"],
    ...Object.entries(describeSession(session)).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ]));
  for (const { requestId, message } of facts.openElicitations) {
    print(`Asks (${toLine(requestId)}): ${toLine(message)}`);
  }
  print();
  print(`Queue: ${queueOf(glance)} message(s)`);
  for (const { position, content, characters } of messages) {
    const isCut = characters > MESSAGE_CHARACTERS;
    print(
      `  ${position}. ${toLine(content.replaceAll(/\s+/g, " "))}${
        isCut ? `… (${characters} characters)` : ""
      }`,
    );
  }
  if (glance.pending > messages.length) {
    print(`  and ${glance.pending - messages.length} more`);
  }
  print();
  print(
    glance.lastAt === null
      ? "Last words: none"
      : `Last words, ${minute(glance.lastAt)}:`,
  );
  for (const line of (glance.lastWords ?? "").split("\n")) {
    if (glance.lastAt !== null) print(`  ${line}`);
  }
  return 0;
}

function described(session: Session, glance: Glance) {
  return {
    ...describeSession(session),
    state_since: session.stateSince.toISOString(),
    wait_reason: session.waitReason,
    wait_until: session.waitUntil?.toISOString() ?? null,
    failure_reason: session.failureReason,
    queued_messages: glance.pending,
    message_in_delivery: glance.isDelivering,
    last_words: glance.lastWords,
    last_words_at: glance.lastAt?.toISOString() ?? null,
  };
}

function isStatus(text: string): text is SessionStatus {
  return SESSION_STATUSES.some((status) => status === text);
}
