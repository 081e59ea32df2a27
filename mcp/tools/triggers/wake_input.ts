/**
 * What both wakes share: arguments, the session that sleeps, and the receipt.
 *
 * @module
 */
import type { Armed } from "../../../fleet/mod.ts";
import { ToolError } from "../../errors.ts";
import { md } from "../../markdown/inline.ts";
import { receipt } from "../../markdown/document.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
} from "../../schema.ts";
import type { Connection } from "../../caller/connection.ts";
import { statusOf } from "../sessions/receipt.ts";
import { Written } from "../tool.ts";

/** Arguments that both take. */
export const WAKE_INPUT = {
  prompt: {
    type: "string",
    description: "What the session is told when it is woken",
  },
  session_id: {
    type: "integer",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Which session to wake; the calling one by default",
  },
} as const;

/** An armed wake, for programs. */
export const ARMED = objectOf({
  wake_id: COUNT,
  session_id: COUNT,
  status: TEXT,
  due_at: orNull(TIME),
  fires_at_once: FLAG,
  server_time: TIME,
  warnings: listOf(TEXT),
});

/** The session that is to sleep: the one named, else the calling one. */
export function sleeperOf(
  { sessionId }: Connection,
  named: number | undefined,
): number {
  const id = named ?? sessionId;
  if (id !== null) return id;
  throw new ToolError(
    "This connection names no session, so session_id has to be given. Nothing was created or changed",
  );
}

/** The receipt. */
export function armedReceipt(
  { wakeId, session, dueAt, isDue, now, warnings }: Armed,
  what: string,
): Written<ValueOf<typeof ARMED>> {
  const next = isDue
    ? "What it waits for is so already: it fires once that has stood for a minute"
    : session.status === "running"
    ? "End your turn now: the session sleeps then, and is woken with the prompt"
    : "The session sleeps, and is woken with the prompt";
  return new Written(
    receipt(md`Wake Armed`, [
      ["Wake ID", wakeId],
      ["Session ID", session.id],
      ["Status", statusOf(session)],
      ["Wakes", what],
      ["Due", dueAt === undefined ? undefined : isoTime(dueAt)],
      ["Server time", isoTime(now)],
      ["Next", next],
      ...warnings.map((warning) => ["Warning", warning] as const),
    ]).text,
    {
      wake_id: wakeId,
      session_id: session.id,
      status: session.status,
      due_at: dueAt === undefined ? null : isoTime(dueAt),
      fires_at_once: isDue,
      server_time: isoTime(now),
      warnings,
    },
  );
}
