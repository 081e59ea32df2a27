/**
 * What the settings of the embedding service come to, and what is wrong with
 * them together.
 *
 * @module
 */
import { isLoopback } from "./hosts.ts";
import type { Config } from "./config.ts";

/** The settings of the service, and the one that makes it useless. */
export type EmbeddingConfig = Config<
  "embeddingsUrl" | "embeddingsModel" | "embeddingsApiKey"
>;

/** A service that is configured. */
export interface EmbeddingService {
  /** Its address. */
  readonly url: string;
  /** The model that it is asked for. */
  readonly model: string;
  /** The key that it opens with. */
  readonly apiKey: string | undefined;
}

/** The service; undefined where there is none, or too little is known of it. */
export function embeddingServiceOf(
  { embeddingsUrl, embeddingsModel, embeddingsApiKey }: EmbeddingConfig,
): EmbeddingService | undefined {
  if (embeddingsUrl === undefined || embeddingsModel === undefined) {
    return undefined;
  }
  return {
    url: embeddingsUrl,
    model: embeddingsModel,
    apiKey: embeddingsApiKey,
  };
}

/** All that is wrong with the settings, each a line; no secret. */
export function checkEmbeddings(
  config: EmbeddingConfig & Partial<Config<"cortexUrl">>,
): readonly string[] {
  const { embeddingsUrl, embeddingsModel, embeddingsApiKey, cortexUrl } =
    config;
  const problems: string[] = [];
  if (embeddingsUrl === undefined) {
    if (embeddingsModel !== undefined) {
      problems.push("EMBEDDINGS_MODEL needs EMBEDDINGS_URL: nobody is asked");
    }
    if (embeddingsApiKey !== undefined) {
      problems.push(
        "EMBEDDINGS_API_KEY needs EMBEDDINGS_URL: it opens nothing",
      );
    }
    return problems;
  }
  if (embeddingsModel === undefined) {
    problems.push(
      "EMBEDDINGS_URL needs EMBEDDINGS_MODEL: the name of a model that the service has",
    );
  }
  if (cortexUrl !== undefined) {
    problems.push(
      "EMBEDDINGS_URL is for the local CortexDB: leave out one of it and CORTEX_URL",
    );
  }
  const url = URL.parse(embeddingsUrl);
  const isHttp = url?.protocol === "http:";
  if (url === null || !(isHttp || url.protocol === "https:")) {
    problems.push("EMBEDDINGS_URL must be an http or https URL");
  } else if (url.username !== "" || url.password !== "") {
    problems.push(
      "EMBEDDINGS_URL must hold no credential: EMBEDDINGS_API_KEY is for that",
    );
  } else if (
    isHttp && embeddingsApiKey !== undefined && !isLoopback(url.hostname)
  ) {
    problems.push(
      "EMBEDDINGS_URL must be https, or on loopback, where EMBEDDINGS_API_KEY is sent",
    );
  }
  if (
    embeddingsApiKey !== undefined && !/^[\x21-\x7e]+$/.test(embeddingsApiKey)
  ) {
    problems.push(
      "EMBEDDINGS_API_KEY holds a blank or a character beyond ASCII, which no header carries",
    );
  }
  return problems;
}
