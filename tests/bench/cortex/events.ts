/**
 * Events as the benchmarks of the local CortexDB store them, and the service
 * that they are stored in.
 *
 * Text is drawn from 20,000 words by rank, as in a language: the common words
 * stand in most events, the rare ones in a few.
 *
 * @module
 */
import { createLocalCortex } from "../../../cortex/local/service.ts";
import { PostgresEventLog } from "../../../store/event_log/event_log.ts";
import type { Stage } from "../stage.ts";

/** The one scope that is written to. */
const SCOPE = "org:bench/ws:main/app:conversations";
/** Stands in every event, so that a recall always finds something. */
const ALWAYS = "w1x";
const WORDS_PER_EVENT = 40;
const VOCABULARY = 20_000;

const random = createRandom(7);

/** Calls a route of the service; throws what it refuses. */
export type Call = (
  path: string,
  body: unknown,
) => Promise<Readonly<Record<string, unknown>>>;

/** Sends a request to the service, which runs in this process. */
export type Fetch = (request: Request) => Promise<Response>;

/** The service on the stage's database. */
export function serviceOn({ db }: Pick<Stage, "db">): Fetch {
  const service = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  return (request) => service.fetch(request);
}

/** Calls the service's routes. */
export function callerOf(fetch: Fetch): Call {
  return async (path, body) => {
    const response = await fetch(
      new Request(`http://localhost/v1/${path}`, {
        method: "POST",
        headers: { "x-cortex-actor": "user:bench" },
        body: JSON.stringify(body),
      }),
    );
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
}

/** What is asked: a name, the words, and labels that narrow it. */
export const QUERIES: readonly (readonly [
  label: string,
  query: () => string,
  labels: readonly string[],
])[] = [
  ["six words as they come", () => words(6), []],
  ["two rare words", () => `wf00x wb11x ${ALWAYS}`, []],
  ["one common word", () => "w2x", []],
  ["ten common words", () => "w1x w2x w3x w4x w5x w6x w7x w8x w9x wax", []],
  ["six words, one agent", () => `${words(6)} ${ALWAYS}`, ["agent:3"]],
];

/** Recalls in a scope. @throws {Error} Nothing was found. */
export async function recall(
  call: Call,
  query: string,
  { labels, scope = SCOPE }: {
    readonly labels: readonly string[];
    readonly scope?: string;
  },
): Promise<void> {
  const answer = await call("recall", {
    scope,
    query,
    filters: { metadata: { labels } },
  });
  if (!String(answer.context_block).includes("w")) {
    throw new Error(`Nothing was recalled: ${JSON.stringify(answer)}`);
  }
}

/** Stores so many events with one call. */
export async function store(
  call: Call,
  count: number,
  scope = SCOPE,
): Promise<void> {
  const items = Array.from({ length: count }, event);
  const answer = await call("experience/bulk", { scope, items });
  if (answer.accepted !== count) throw new Error(JSON.stringify(answer));
}

function event(): unknown {
  const key = crypto.randomUUID();
  return {
    modality: "conversation",
    content: { kind: "message", role: "user", text: text() },
    context: {
      labels: [`item:${key}`, `agent:${Math.floor(random() * 5)}`],
    },
    idempotency_key: key,
  };
}

/** The text of an event. */
export function text(): string {
  return `${ALWAYS} ${words(WORDS_PER_EVENT)}`;
}

/** So many words. */
function words(count: number): string {
  return Array.from({ length: count }, word).join(" ");
}

/** A word by rank: rank r comes up about 1/r as often as the first. */
function word(): string {
  return `w${Math.floor(VOCABULARY ** random()).toString(36)}x`;
}

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
