/**
 * Questions of agents to people: asked by the server, with the turn's own
 * token, and waited for until somebody has answered.
 *
 * @module
 */

/** Where it is asked. */
export interface QuestionPlace {
  /** Address of the server, without path. */
  readonly server: string;
  /** The turn's token. */
  readonly token: string;
  /** Whose question it is. */
  readonly sessionId: number;
}

/** What is asked. */
export interface PeopleQuestion {
  /** In a sentence. */
  readonly message: string;
  /** JSON Schema of the answer's form, an object. */
  readonly requested_schema: object;
  /** What people should know before they answer. */
  readonly context?: string;
  /** The tool that asks. */
  readonly tool_name?: string;
}

/** What people said. */
export interface PeopleAnswer {
  /** Whether they did what was asked; `cancel` where nobody answered. */
  readonly action: "accept" | "decline" | "cancel";
  /** The form, as it was filled in. */
  readonly content: Readonly<Record<string, unknown>> | null;
}

const NOBODY: PeopleAnswer = { action: "cancel", content: null };
const REFUSED: PeopleAnswer = { action: "decline", content: null };
const LOOK_MS = 500;
const CALL_LIMIT_MS = 10_000;

/**
 * Asks, and waits; the signal ends that with `cancel`. A server that does not
 * take the question has declined it. Never rejects.
 */
export async function askPeople(
  place: QuestionPlace,
  question: PeopleQuestion,
  signal: AbortSignal,
): Promise<PeopleAnswer> {
  const request_id = crypto.randomUUID();
  const ask = () =>
    call(place, `sessions/${place.sessionId}/elicitations`, signal, {
      ...question,
      request_id,
    });
  const look = () => call(place, `elicitations/${request_id}`, signal);
  let next = ask;
  while (!signal.aborted) {
    const told = await next();
    if (told === "refused") return REFUSED;
    if (told !== "away") {
      // By its name, what was lost on its way is asked again but once.
      next = look;
      if (told.status !== "pending") return answerOf(told);
    }
    await pause(LOOK_MS, signal);
  }
  return NOBODY;
}

interface Told {
  readonly status: string;
  readonly content: unknown;
}

function answerOf({ status, content }: Told): PeopleAnswer {
  if (status === "decline") return REFUSED;
  if (status !== "accept") return NOBODY;
  return {
    action: "accept",
    content: typeof content === "object" && content !== null
      ? { ...content }
      : {},
  };
}

async function call(
  { server, token }: QuestionPlace,
  path: string,
  signal: AbortSignal,
  body?: object,
): Promise<Told | "away" | "refused"> {
  try {
    const response = await fetch(`${server}/api/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]),
    });
    const answer = await response.json().catch(() => undefined);
    if (response.ok && answer?.elicitation !== undefined) {
      return answer.elicitation;
    }
    return response.status >= 500 || response.status === 429
      ? "away"
      : "refused";
  } catch {
    return "away"; // Or the turn is over, which the signal says.
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
}
