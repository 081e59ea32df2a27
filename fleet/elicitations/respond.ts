/**
 * Somebody answers a question, and the agent that asked goes on.
 *
 * @module
 */
import { checkAgainst, cutText, formatProblems } from "../../catalog/mod.ts";
import {
  type Elicitation,
  findElicitation,
  resolveElicitation,
} from "../../store/around_sessions/mod.ts";
import { assertStorable } from "../../store/pg/mod.ts";
import { type Session, writeLog } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { badArgument } from "../sessions/texts.ts";
import { withSession } from "../sessions/with_session.ts";
import { expireOf } from "./expire.ts";
import { goOnIfAnswered } from "./go_on.ts";

/** What can be said to a question. */
export type ResponseAction = "accept" | "decline" | "cancel";

/** All of them. */
export const RESPONSE_ACTIONS: readonly ResponseAction[] = [
  "accept",
  "decline",
  "cancel",
];

/** An answer. */
export interface ElicitationResponse {
  /** What is said. */
  readonly action: ResponseAction;
  /** The filled-in form, 64 KB at most; only `accept` takes one. */
  readonly content?: unknown;
}

/** A question that was answered. */
export interface Responded {
  /** It. */
  readonly elicitation: Elicitation;
  /** The session after it. */
  readonly session: Session;
}

const MAX_CONTENT_BYTES = 64 * 1024;

/** Finds a question by its public name, or else its number. @throws {FleetRefusalError} */
export async function findQuestion(
  { store }: Pick<Fleet, "store">,
  name: string,
): Promise<Elicitation> {
  const found = await findElicitation(await store.db(), name.trim());
  if (found !== undefined) return found;
  throw new FleetRefusalError(
    "not_found",
    `Question not found: ${
      cutText(name, 100)
    }. get_session names the open questions of a session under Because. Nothing was changed`,
  );
}

/**
 * Answers an open question. One whose time is over is resolved as expired
 * first, and then refused like every other that is resolved.
 *
 * @throws {FleetRefusalError} It is not there, not open, not the caller's to
 * answer, or the answer does not fit its form.
 */
export async function respond(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  name: string,
  response: ElicitationResponse,
): Promise<Responded> {
  const asked = await findQuestion(fleet, name);
  assertNotOwn(caller, asked);
  const content = response.action === "accept"
    ? await checkedContent(asked, response.content)
    : undefined;
  const target = { id: asked.sessionId, act: "answering its question" };
  const done = await withSession(fleet, caller, target, async (tx, session) => {
    const now = await findElicitation(tx, asked.requestId) ?? asked;
    if (now.status !== "pending") return now;
    if (now.isOverdue) {
      await expireOf(tx, session);
      return { ...now, status: "expired" as const };
    }
    const elicitation = await resolveElicitation(tx, now.id, {
      status: response.action,
      content,
    });
    await writeLog(
      tx,
      session.id,
      `Question ${now.requestId}: ${response.action}`,
    );
    const after = await goOnIfAnswered(
      tx,
      session,
      `question ${now.requestId} was answered`,
    );
    return { elicitation, session: after };
  });
  if ("session" in done) return done;
  throw resolved(done);
}

/** What an agent was refused it cannot grant itself. */
function assertNotOwn({ sessionId }: FleetCaller, asked: Elicitation): void {
  if (sessionId !== asked.sessionId) return;
  throw new FleetRefusalError(
    "out_of_reach",
    `Question ${asked.requestId} is session ${sessionId}'s own: somebody else has to answer it. Nothing was changed`,
  );
}

async function checkedContent(
  { requestId, requestedSchema }: Elicitation,
  content: unknown = {},
): Promise<Readonly<Record<string, unknown>>> {
  if (!isObject(content)) {
    throw badArgument(
      "content is a JSON object with the fields of the form. Nothing was changed",
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(content)).length;
  if (bytes > MAX_CONTENT_BYTES) {
    throw new FleetRefusalError(
      "data_too_large",
      `content is JSON of 64 KB at most; this has ${bytes} bytes. Nothing was changed`,
    );
  }
  assertStorable(content, "content");
  if (Object.keys(requestedSchema).length === 0) return content;
  const verdict = await checkAgainst(requestedSchema, content);
  // A form that cannot be read holds up nobody: the agent checks for itself.
  if (verdict.ok || "kind" in verdict) return content;
  throw badArgument(
    `content does not fit the form of question ${requestId}: ${
      formatProblems(verdict.problems, verdict)
    }. Nothing was changed`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function resolved({ requestId, status }: Elicitation): FleetRefusalError {
  return new FleetRefusalError(
    "conflict",
    status === "expired"
      ? `Question ${requestId} is resolved already: expired, nobody answered it in time. This answer was not given`
      : `Question ${requestId} is resolved already: ${status}. Nothing was changed`,
  );
}
