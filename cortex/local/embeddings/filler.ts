/**
 * Getting vectors for passages in the background, step by step.
 *
 * A service that fails is left alone for a while, longer each time, or for as
 * long as it asks; what it did not answer for waits. A text that it refuses
 * while it takes others is tried in part, and then goes without a vector.
 *
 * @module
 */
import { pause } from "../../pause.ts";
import type { EmbeddedEvent, EventLog, LogEvent, LogVector } from "../port.ts";
import { embeddedTextsOf } from "./embedded_texts.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";
import { modelKey } from "./model_key.ts";

/** What a filler is built from. */
export interface FillerOptions {
  /** Where events and vectors are kept. */
  readonly log: EventLog;
  /** The service. */
  readonly embedder: Embedder;
  /** Clock, in milliseconds. */
  readonly now?: () => number;
  /** Told when the service begins to fail, and with what. */
  readonly report?: (error: EmbeddingError) => void;
}

/**
 * Takes one step: true: more is left; false: nothing is; a number: the service
 * is left alone for so many milliseconds.
 */
export type FillerStep = (signal: AbortSignal) => Promise<boolean | number>;

/** Texts of one request, and characters, at most. */
const BATCH_TEXTS = 32;
const BATCH_CHARACTERS = 40_000;
/** Events that are worked on together. */
const BATCH_EVENTS = 16;
/** How long a request may take: a small machine embeds a page in a second. */
const REQUEST_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Any text: it shows how large vectors are, and whether the service works. */
const PROBE = "What is remembered";

/** Builds the steps of one process. */
export function createFiller(options: FillerOptions): FillerStep {
  const { log, now = () => performance.now(), report = () => {} } = options;
  const service = new PatientService(options.embedder);
  let model: string | undefined;
  let failures = 0;
  let pausedUntil = -Infinity;

  const step = async (signal: AbortSignal): Promise<boolean> => {
    if (model === undefined) {
      const key = modelKey(service.name, await service.probe(signal));
      await log.openModel(key);
      model = key;
    }
    if (await log.findUnembedded(model)) return true;
    const events = await log.takeUnembedded(model, BATCH_EVENTS);
    let done = 0;
    try {
      for (const event of events) {
        const vectors = await service.vectorsOf(event, model, signal);
        await log.embed(model, [{ event, vectors } satisfies EmbeddedEvent]);
        done++;
      }
    } finally {
      await log.giveBack(events.slice(done));
    }
    return events.length > 0;
  };

  return async (signal) => {
    const wait = pausedUntil - now();
    if (wait > 0) return wait;
    try {
      const isLeft = await step(signal);
      failures = 0;
      return isLeft;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof EmbeddingError)) throw error;
      if (failures++ === 0) report(error);
      // Another size of vectors is another model: that is looked at anew.
      if (error.kind === "unusable") model = undefined;
      const backoff = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10);
      const ms = error.retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, backoff);
      pausedUntil = now() + ms;
      return ms;
    }
  };
}

/** A service that is asked as much at once as it can do. */
class PatientService {
  readonly name: string;
  readonly #embedder: Embedder;
  #most = BATCH_TEXTS;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
    this.name = embedder.name;
  }

  /** The vector of any text. */
  async probe(signal: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.#ask([PROBE], signal);
    if (vector === undefined) throw new TypeError("A text has a vector");
    return vector;
  }

  /** Vectors of an event's passages. */
  async vectorsOf(
    event: LogEvent,
    model: string,
    signal: AbortSignal,
  ): Promise<readonly LogVector[]> {
    const texts = [...embeddedTextsOf(event)];
    const found: LogVector[] = [];
    for (let at = 0; at < texts.length;) {
      const some = this.#batchFrom(texts, at);
      at += some.length;
      const vectors = await this.#askEach(some.map(([, text]) => text), signal);
      for (const [index, [part]] of some.entries()) {
        await pause();
        const numbers = vectors[index];
        if (numbers === undefined) continue;
        if (modelKey(this.name, numbers) !== model) {
          throw new EmbeddingError(
            "unusable",
            `The embedding service's answer has vectors of ${numbers.length} numbers, which are not those of ${model}`,
          );
        }
        found.push({ part, numbers });
      }
    }
    return found;
  }

  #batchFrom<T extends readonly [number, string]>(
    texts: readonly T[],
    from: number,
  ): readonly T[] {
    let characters = 0;
    const some: T[] = [];
    for (const one of texts.slice(from, from + this.#most)) {
      characters += one[1].length;
      if (some.length > 0 && characters > BATCH_CHARACTERS) break;
      some.push(one);
    }
    return some;
  }

  /** Of texts that are refused together, each is asked for by itself. */
  async #askEach(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Float32Array | undefined)[]> {
    try {
      return await this.#ask(texts, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (texts.length === 1) return [await this.#askPart(texts, signal)];
    }
    const half = Math.ceil(texts.length / 2);
    return [
      ...await this.#askEach(texts.slice(0, half), signal),
      ...await this.#askEach(texts.slice(half), signal),
    ];
  }

  /** A text that is too long for a model says something by its beginning. */
  async #askPart(
    [text = ""]: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> {
    const half = text.slice(0, Math.ceil(text.length / 2)).toWellFormed();
    try {
      return (await this.#ask([half], signal))[0];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Where any text is refused, it is not for the text.
      await this.probe(signal);
      return undefined;
    }
  }

  async #ask(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const limit = AbortSignal.timeout(REQUEST_MS);
    try {
      const vectors = await this.#embedder.embed(
        texts,
        AbortSignal.any([signal, limit]),
      );
      this.#most = Math.min(BATCH_TEXTS, this.#most * 2);
      return vectors;
    } catch (error) {
      // It may have been too much for it.
      if (limit.aborted) this.#most = Math.max(1, this.#most >> 1);
      throw error;
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof EmbeddingError && error.kind === "refused";
}
