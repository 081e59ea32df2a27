/**
 * An agent asks people a question: the turn under way waits for the answer, and
 * its session rests until then.
 *
 * @module
 */
import { assertStorable, type Transaction } from "../../store/pg/mod.ts";
import {
  countOpenElicitations,
  type Elicitation,
  findElicitation,
  insertElicitation,
} from "../../store/around_sessions/mod.ts";
import {
  findOpenTurn,
  type Session,
  writeLog,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import {
  assertLength,
  assertRange,
  assertText,
  badArgument,
} from "../sessions/texts.ts";
import { change } from "../sessions/transition.ts";
import { withSession } from "../sessions/with_session.ts";

/** A question. */
export interface Question {
  /** What is asked: 1 to 50,000 characters. */
  readonly message: string;
  /**
   * Its public name, 1 to 200 characters: asking again with it asks nothing
   * new. @default {a random UUID}
   */
  readonly requestId?: string | undefined;
  /** `form`: answered here; `url`: at an address in the message. @default {"form"} */
  readonly mode?: Elicitation["mode"] | undefined;
  /** JSON Schema of the answer, 64 KB at most. @default {anything} */
  readonly requestedSchema?: Readonly<Record<string, unknown>> | undefined;
  /** What people should know before they answer. */
  readonly context?: string | undefined;
  /** The tool that asks. */
  readonly toolName?: string | undefined;
  /** Data of whoever asks, 32 KB at most; it comes back with the answer. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How long it is open, in seconds, up to 7 days. @default {what the server is
   * set to, 60 minutes}
   */
  readonly expiresInSeconds?: number | undefined;
}

/** A question that was asked. */
export interface Asked {
  /** It. */
  readonly elicitation: Elicitation;
  /** The session after it. */
  readonly session: Session;
  /** Whether it had been asked before, and nothing was done. */
  readonly isReplay: boolean;
}

/** Minutes that a question is open where nobody says for how long. */
export const ELICITATION_MINUTES = 60;

const LIMITS = {
  message: 50_000,
  context: 50_000,
  toolName: 200,
  requestId: 200,
} as const;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_META_BYTES = 32 * 1024;
const MAX_SECONDS = 7 * 24 * 3_600;
/** Open questions of a session at once. */
const MAX_OPEN = 20;

/**
 * Asks a question in the name of a session.
 *
 * @throws {FleetRefusalError} Nothing was asked: an argument is wrong, the
 * session is not there, not the caller's, or has no turn under way.
 */
export async function ask(
  fleet: Pick<Fleet, "store" | "catalog" | "elicitationMinutes">,
  caller: FleetCaller,
  sessionId: number,
  question: Question,
): Promise<Asked> {
  assertQuestion(question);
  return await withSession(
    fleet,
    caller,
    { id: sessionId, act: "asking in its name" },
    (tx, session) => askLocked(tx, session, question, fleet),
  );
}

/**
 * The same within a transaction that holds the lock of the session, for whoever
 * carries out its turn.
 *
 * @throws {FleetRefusalError} The same.
 */
export async function askLocked(
  tx: Transaction,
  session: Session,
  question: Question,
  { elicitationMinutes = ELICITATION_MINUTES }: Pick<
    Fleet,
    "elicitationMinutes"
  > = {},
): Promise<Asked> {
  assertQuestion(question);
  const { requestId = crypto.randomUUID() } = question;
  const known = await findByRequest(tx, session, requestId);
  if (known !== undefined) {
    return { elicitation: known, session, isReplay: true };
  }
  const turn = await findOpenTurn(tx, session.id);
  const isUnderWay = turn !== undefined && turn.phase !== "queued";
  assertCanAsk(session, isUnderWay);
  if (await countOpenElicitations(tx, session.id) >= MAX_OPEN) {
    throw new FleetRefusalError(
      "conflict",
      `Session ${session.id} has ${MAX_OPEN} open questions, the most there may be; answer or wait for those first. Nothing was asked`,
    );
  }
  const elicitation = await insertElicitation(tx, session.id, {
    requestId,
    turnId: isUnderWay ? turn.id : null,
    mode: question.mode ?? "form",
    message: question.message,
    requestedSchema: question.requestedSchema ?? {},
    context: question.context ?? null,
    toolName: question.toolName ?? null,
    meta: question.meta ?? {},
    seconds: question.expiresInSeconds ?? elicitationMinutes * 60,
  });
  // Two sessions that pick one name at once: the later one finds it taken.
  if (elicitation === undefined) throw taken(requestId);
  await writeLog(tx, session.id, `A question is open: ${requestId}`);
  const after = session.status === "running"
    ? await change(tx, session, "block", {
      pausedBy: "elicitation",
      note: `question ${requestId}`,
    })
    : session;
  return { elicitation, session: after, isReplay: false };
}

function assertQuestion(question: Question): void {
  const { requestId, toolName, context, requestedSchema, meta } = question;
  assertText(question.message, "message", LIMITS.message);
  if (requestId !== undefined) {
    assertText(requestId, "request_id", LIMITS.requestId);
  }
  if (context !== undefined) assertLength(context, "context", LIMITS.context);
  if (toolName !== undefined) {
    assertText(toolName, "tool_name", LIMITS.toolName);
  }
  if (requestedSchema !== undefined) {
    assertJson(requestedSchema, "requested_schema", MAX_SCHEMA_BYTES);
    const { type = "object" } = requestedSchema;
    if (type !== "object") {
      throw badArgument(
        `requested_schema describes an object, the fields of a form; its type is ${
          JSON.stringify(type).slice(0, 100)
        }. Nothing was asked`,
      );
    }
  }
  if (meta !== undefined) assertJson(meta, "meta", MAX_META_BYTES);
  if (question.expiresInSeconds !== undefined) {
    assertRange(question.expiresInSeconds, "expires_in_seconds", [
      1,
      MAX_SECONDS,
    ]);
  }
}

function assertJson(value: unknown, what: string, limit: number): void {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > limit) {
    throw new FleetRefusalError(
      "data_too_large",
      `${what} is JSON of ${
        limit / 1024
      } KB at most; this has ${bytes} bytes. Nothing was asked`,
    );
  }
  assertStorable(value, what);
}

async function findByRequest(
  tx: Transaction,
  session: Session,
  requestId: string,
): Promise<Elicitation | undefined> {
  const found = await findElicitation(tx, requestId);
  if (found?.requestId !== requestId) return undefined;
  if (found.sessionId !== session.id) throw taken(requestId);
  return found;
}

function taken(requestId: string): FleetRefusalError {
  return new FleetRefusalError(
    "conflict",
    `request_id ${requestId} names a question of another session; leave it out or take a fresh UUID. Nothing was asked`,
  );
}

/** Somebody has to wait for the answer: an agent at work, or a client. */
function assertCanAsk(session: Session, isUnderWay: boolean): void {
  const { id, status, drivenBy, pausedBy } = session;
  const isOver = status === "archived" || status === "failed";
  if (drivenBy === "client" && !isOver) return;
  if (isUnderWay && !isOver && pausedBy !== "user") return;
  throw new FleetRefusalError(
    "wrong_state",
    pausedBy === "user"
      ? `Session ${id} is being paused: its turn was told to end, so nobody would hear the answer. Nothing was asked`
      : `Session ${id} is ${status} and no turn of it is under way: nobody would hear the answer. Nothing was asked`,
  );
}
