/**
 * Receipts: what was done to a session, for people and for programs.
 *
 * @module
 */
import type { Delivery } from "../../../fleet/mod.ts";
import {
  findSessionByName,
  type OpenTurn,
  type Session,
  SESSION_STATUSES,
} from "../../../store/sessions/mod.ts";
import { ToolError } from "../../errors.ts";
import { md, type Part, preview } from "../../markdown/inline.ts";
import { type Markdown, receipt } from "../../markdown/document.ts";
import { cutText, isoTime } from "../../render.ts";
import {
  COUNT,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import type { Services } from "../../services.ts";

/** What was done to a session, for programs. */
export const DONE = objectOf({ action: TEXT }, {
  session_id: COUNT,
  status: wordOf(SESSION_STATUSES),
  wait_reason: orNull(TEXT),
  turn: COUNT,
  delivery: wordOf(["offered", "queued", "interrupting", "held"]),
  message_id: COUNT,
  pending: COUNT,
  ahead: COUNT,
  fork_session_id: COUNT,
  restarted: listOf(COUNT),
  continued: listOf(COUNT),
  archived: listOf(COUNT),
  refused: listOf(objectOf({ session_id: TEXT, reason: TEXT })),
});

/** What was done. */
export type Done = ValueOf<typeof DONE>;

/** Finds the session that a call names. @throws {ToolError} */
export async function findTarget(
  { store }: Pick<Services, "store">,
  name: string,
): Promise<Session> {
  const session = await findSessionByName(await store.db(), name.trim());
  if (session !== undefined) return session;
  throw new ToolError(
    `Session not found: ${
      cutText(name, 100)
    }. quick_search_sessions lists sessions with their ids; nothing was changed`,
    { reason: "not_found" },
  );
}

/** A receipt of a session: its number, title, state, and what is special. */
export function sessionReceipt(
  heading: string,
  session: Session,
  fields: readonly (readonly [string, Part | undefined])[] = [],
): Markdown {
  return receipt(md`${heading}`, [
    ["Session ID", session.id],
    ["Title", session.title],
    ["New Status", statusOf(session)],
    ...fields,
  ]);
}

/** The facts of a receipt. */
export function facts(
  action: string,
  session: Session,
  more: Partial<Done> = {},
): Done {
  return {
    action,
    session_id: session.id,
    status: session.status,
    wait_reason: session.waitReason,
    ...more,
  };
}

/** A state with its reason. */
export function statusOf({ status, waitReason, waitUntil }: Session): string {
  if (waitReason === null) return status;
  const until = waitUntil === null ? "" : ` until ${isoTime(waitUntil)}`;
  return `${status} (${waitReason.replaceAll("_", " ")}${until})`;
}

/** A turn that waits, as people read it. */
export function turnOf(turn: OpenTurn | undefined): string | undefined {
  if (turn === undefined) return undefined;
  return turn.phase === "queued"
    ? `queued as turn ${turn.ordinal}`
    : `turn ${turn.ordinal} is under way`;
}

const HOW: Readonly<Record<Delivery["how"], string>> = {
  offered: "delivered: a turn is queued for it, and a runner takes it next",
  queued: "queued: it is read when what is under way has ended",
  interrupting:
    "interrupting: the turn under way was told to end, and this goes first",
  held: "held",
};

/** What became of a message. */
export function deliveryFields(
  { how, session, message, pending, ahead, wakes, turn }: Delivery,
): readonly (readonly [string, Part | undefined])[] {
  const held = session.drivenBy === "client"
    ? "held: only the client that drives this session reads its queue"
    : "held: the session failed, and reads it once it is restarted";
  const due = wakes.flatMap(({ conditions }) => conditions);
  return [
    ["Delivery", how === "held" ? held : HOW[how]],
    ["Turn", turnOf(turn)],
    ["Message ID", message.id],
    ["Message", preview(message.content, 200)],
    [
      "Queue",
      pending === 0
        ? "nothing else is pending"
        : `${pending} pending, ${
          ahead === 0 ? "none" : ahead
        } of them ahead of this one`,
    ],
    [
      "Its own wake-up",
      due.length === 0
        ? undefined
        : `stays armed: ${
          due.map((one) =>
            one.kind === "time"
              ? `at ${one.wakeAt} in ${one.timezone}`
              : `on ${one.eventName} of session ${one.watchedSessionId}`
          ).join("; ")
        }`,
    ],
  ];
}

/** The same for programs. */
export function deliveryFacts(
  action: string,
  { session, how, message, pending, ahead, turn }: Delivery,
): Done {
  return facts(action, session, {
    delivery: how,
    message_id: message.id,
    pending,
    ahead,
    ...(turn === undefined ? {} : { turn: turn.ordinal }),
  });
}
