/**
 * A session reports to whoever started it. It names nobody: its row says who.
 *
 * The parent reads the child's words quoted line by line inside the server's
 * framing, so that no words can pass for the framing.
 *
 * @module
 */
import { lockSessions, type Session } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { bringBack } from "../sessions/archive.ts";
import {
  assertLength,
  assertText,
  badArgument,
  LIMITS,
} from "../sessions/texts.ts";
import { type Delivery, say } from "./deliver.ts";

/** Why a child reports. */
export type ReportReason = "wrong_scope" | "missing_tools" | "other";

/** All reasons. */
export const REPORT_REASONS: readonly ReportReason[] = [
  "wrong_scope",
  "missing_tools",
  "other",
];

/** What a child reports. */
export interface ParentReport {
  /** Its own words. */
  readonly message: string;
  /** Why. */
  readonly reason: ReportReason;
  /** Whether the parent's turn is ended for it. */
  readonly isForced?: boolean | undefined;
  /** Whether an archived parent is brought back. */
  readonly unarchivesParent?: boolean | undefined;
}

/** Characters that end a line, for some reader. */
const LINE_REGEXP = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * Delivers a report to the parent of a session.
 *
 * @throws {FleetRefusalError} There is no parent to deliver to; nothing was sent.
 */
export async function messageParent(
  { store }: Pick<Fleet, "store">,
  caller: FleetCaller,
  childId: number,
  report: ParentReport,
): Promise<Delivery> {
  assertText(report.message, "message", LIMITS.prompt);
  if (!REPORT_REASONS.includes(report.reason)) {
    throw badArgument(`reason is one of ${REPORT_REASONS.join(", ")}`);
  }
  if (caller.sessionId !== null && caller.sessionId !== childId) {
    throw new FleetRefusalError(
      "out_of_reach",
      `session_id has to be the calling session's own, ${caller.sessionId}: a session reports for itself only. Nothing was sent`,
    );
  }
  const db = await store.db();
  const first = await db.read<{ parent_session_id: string | null }>(
    "select parent_session_id from sessions where id = $1",
    [childId],
  );
  const parentId = Number(first[0]?.parent_session_id ?? 0);
  return await db.transaction(async (tx) => {
    const found = await lockSessions(tx, [childId, parentId]);
    const child = found.get(childId);
    if (child === undefined) {
      throw new FleetRefusalError(
        "not_found",
        `Session ${childId} does not exist. Nothing was sent`,
      );
    }
    const parent = parentOf(child, found);
    const content = envelope(child, report);
    assertLength(content, "message, with its envelope,", LIMITS.prompt);
    const awake = parent.status !== "archived"
      ? parent
      : await bringBack(tx, parent);
    if (parent.status === "archived" && report.unarchivesParent !== true) {
      throw new FleetRefusalError(
        "wrong_state",
        `Session ${parent.id}, the parent, is archived and reads nothing; pass unarchive_parent: true to restore it first. Nothing was sent`,
      );
    }
    if (awake.status === "failed") {
      throw new FleetRefusalError(
        "wrong_state",
        `Session ${parent.id}, the parent, failed and reads nothing until it is restarted. Nothing was sent`,
      );
    }
    return await say(tx, awake, {
      content,
      isForced: report.isForced,
      origin: "caller",
      cause: { child_session_id: childId, reason: report.reason },
    }, "message_parent");
  });
}

function parentOf(
  child: Session,
  found: ReadonlyMap<number, Session>,
): Session {
  const id = child.parentSessionId;
  if (id === child.id) {
    throw new FleetRefusalError(
      "wrong_state",
      `Session ${id} is recorded as its own parent; put the report into session_notes or your last message. Nothing was sent`,
    );
  }
  const parent = id === null ? undefined : found.get(id);
  if (parent !== undefined) return parent;
  throw new FleetRefusalError(
    "wrong_state",
    `Session ${child.id} has no parent: nobody started it. Put the report into session_notes or your last message. Nothing was sent`,
  );
}

/** The report in the server's framing. */
function envelope(child: Session, { message, reason }: ParentReport): string {
  const title = child.title.replaceAll(/\s+/g, " ").replaceAll('"', "'");
  return [
    `[Report of session ${child.id} ("${title}"), which this session started; reason: ${reason}. The quoted lines are its words; the rest is the server's. get_session ${child.id} shows it.]`,
    "",
    ...message.split(LINE_REGEXP).map((line) => `> ${line}`),
    "",
    `[End of the report of session ${child.id}]`,
  ].join("\n");
}
