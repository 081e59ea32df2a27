import { deepEqual, equal, match } from "node:assert/strict";
import { embeddingsUrl } from "../../cortex/local/embeddings/embedder.ts";
import { checkEmbeddings, embeddingServiceOf } from "./embedding_settings.ts";

const NONE = {
  embeddingsUrl: undefined,
  embeddingsModel: undefined,
  embeddingsApiKey: undefined,
};
const OLLAMA = {
  ...NONE,
  embeddingsUrl: "http://192.168.0.7:11434",
  embeddingsModel: "nomic-embed-text",
};

Deno.test("an embedding service is its address and a model; a key where it takes one", () => {
  deepEqual(checkEmbeddings(NONE), []);
  equal(embeddingServiceOf(NONE), undefined);
  deepEqual(checkEmbeddings(OLLAMA), []);
  deepEqual(embeddingServiceOf(OLLAMA), {
    url: OLLAMA.embeddingsUrl,
    model: OLLAMA.embeddingsModel,
    apiKey: undefined,
  });
  const hosted = {
    embeddingsUrl: "https://api.example/v1",
    embeddingsModel: "m",
    embeddingsApiKey: "k",
  };
  deepEqual(checkEmbeddings(hosted), []);
});

Deno.test("what does not fit together is said, each problem by its setting", () => {
  const key = { embeddingsApiKey: "secret" };
  const table: readonly (readonly [object, RegExp])[] = [
    [{ embeddingsModel: "m" }, /^EMBEDDINGS_MODEL needs EMBEDDINGS_URL/],
    [key, /^EMBEDDINGS_API_KEY needs EMBEDDINGS_URL/],
    [
      { embeddingsUrl: "https://x" },
      /^EMBEDDINGS_URL needs EMBEDDINGS_MODEL/,
    ],
    [
      { ...OLLAMA, cortexUrl: "https://x" },
      /^EMBEDDINGS_URL is for the local CortexDB/,
    ],
    [{ ...OLLAMA, embeddingsUrl: "ftp://x" }, /must be an http or https URL$/],
    [{ ...OLLAMA, embeddingsUrl: "x" }, /must be an http or https URL$/],
    [
      { ...OLLAMA, embeddingsUrl: "https://a:b@x" },
      /^EMBEDDINGS_URL must hold no credential/,
    ],
    [{ ...OLLAMA, ...key }, /^EMBEDDINGS_URL must be https, or on loopback/],
    [
      { ...OLLAMA, embeddingsUrl: "https://x", embeddingsApiKey: "a b" },
      /^EMBEDDINGS_API_KEY holds a blank/,
    ],
  ];
  for (const [settings, problem] of table) {
    const found = checkEmbeddings({ ...NONE, ...settings });
    equal(found.length, 1, String(problem));
    match(String(found[0]), problem);
  }
});

Deno.test("the address may be of the service, of its version, or of the route", () => {
  const route = "http://127.0.0.1:11434/v1/embeddings";
  for (const path of ["", "/", "/v1", "/v1/", "/v1/embeddings"]) {
    equal(embeddingsUrl(`http://127.0.0.1:11434${path}`).href, route);
  }
  equal(
    embeddingsUrl("https://x/openai/v1?version=2").href,
    "https://x/openai/v1/embeddings?version=2",
  );
});
