/**
 * A service that speaks OpenAI's `/v1/embeddings` on loopback. Its model knows
 * synonyms: words of one group point the same way, all others each their own.
 *
 * How it answers can be changed while it runs: slow, wrong, busy, or not at all.
 *
 * @module
 */

/** What a request asks for, and how. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly authorization: string | null;
}

/** Answers in place of the model; undefined: the model answers. */
export type Disturbance = (
  request: EmbeddingRequest,
) => Response | Promise<Response> | undefined;

/** A running service. */
export interface FakeEmbeddings extends AsyncDisposable {
  /** Its address, without a path. */
  readonly url: string;
  /** What it was asked, in order. */
  readonly requests: EmbeddingRequest[];
  /** What it answers instead. */
  disturb: Disturbance | undefined;
  /** How many numbers its vectors have. */
  dimension: number;
}

const DIMENSION = 96;

/** Starts the service. */
export function startFakeEmbeddings(
  synonyms: readonly (readonly string[])[] = [],
): FakeEmbeddings {
  const groupOf = new Map(
    synonyms.flatMap((group, at) =>
      group.map((word) => [word, `group ${at}`] as const)
    ),
  );
  const requests: EmbeddingRequest[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== "/v1/embeddings") {
        await request.body?.cancel();
        return Response.json({ error: { message: "Not found" } }, {
          status: 404,
        });
      }
      const { model, input } = await request.json();
      const asked = {
        model,
        input: [input].flat(),
        authorization: request.headers.get("authorization"),
      };
      requests.push(asked);
      return await service.disturb?.(asked) ??
        answerOf(asked, (text) => vectorOf(text, groupOf, service.dimension));
    },
  );
  const service: FakeEmbeddings = {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    disturb: undefined,
    dimension: DIMENSION,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return service;
}

/** An answer as the API has it. */
export function answerOf(
  { model, input }: EmbeddingRequest,
  embed: (text: string) => readonly number[],
): Response {
  return Response.json({
    object: "list",
    // The order is not promised; `index` says whose each is.
    data: input.map((text, index) => ({
      object: "embedding",
      index,
      embedding: embed(text),
    })).reverse(),
    model,
    usage: { prompt_tokens: input.length, total_tokens: input.length },
  });
}

/** The sum of the directions of a text's words. */
export function vectorOf(
  text: string,
  groupOf: ReadonlyMap<string, string>,
  dimension = DIMENSION,
): readonly number[] {
  const sum = new Array<number>(dimension).fill(0);
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["?"]);
  for (const word of words) {
    const group = groupOf.get(word) ?? groupOf.get(word.replace(/s$/, ""));
    // Words that say little, and words that nobody knows, count less.
    const weight = group !== undefined ? 1 : word.length > 3 ? 0.3 : 0.05;
    const random = createRandom(group ?? word);
    for (let at = 0; at < dimension; at++) {
      sum[at] = (sum[at] ?? 0) + weight * (random() - 0.5);
    }
  }
  return sum;
}

/** Numbers from 0 to 1 that a text alone decides. */
function createRandom(seed: string): () => number {
  let state = 2_166_136_261;
  for (const unit of seed) {
    state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
