import { deepEqual, equal, match } from "node:assert/strict";
import { openEndpoint, sessionQuery } from "../../tests/support/endpoint.ts";
import { startFakeEmbeddings } from "../../tests/support/fake_embeddings.ts";
import { startMemoryWork, startSteadyWork } from "./memory_work.ts";

const TEXT = "The surgeon called about the knee";

Deno.test("a server gets vectors in the background, recall uses them, and health says where it stands", async () => {
  await using service = startFakeEmbeddings([["physician", "surgeon"]]);
  const settings = { embeddingsUrl: service.url, embeddingsModel: "synonyms" };
  await using endpoint = await openEndpoint({ cortex: settings });
  const query = await sessionQuery(endpoint, "gardener", "memory");
  const store = (text: string) =>
    endpoint.call(query, "store_memory", { kind: "learning", text });
  const message = async () =>
    (await endpoint.services.memory?.health())?.message;
  const recall = async () => {
    const { data } = await endpoint.call(query, "recall_memory", {
      query: "physician",
    });
    return data.items.map(({ text }: { readonly text: string }) => text);
  };
  await store(TEXT);
  deepEqual(await recall(), []);
  {
    await using _work = startMemoryWork(endpoint.services, {
      url: service.url,
      model: "synonyms",
      apiKey: undefined,
    });
    // A recall goes on without a vector that is late.
    for (;;) {
      const found = await recall();
      if (found.length === 0) continue;
      deepEqual(found, [TEXT]);
      break;
    }
  }
  await store("Another one");
  match(String(await message()), /^1 stored events have no vectors yet/);
});

Deno.test("work that fails is tried again, and rests as long as it says", async () => {
  const steps: (() => boolean | number)[] = [
    () => {
      throw new Error("No");
    },
    () => 1,
    () => true,
  ];
  const done = Promise.withResolvers<void>();
  const lines: string[] = [];
  const log = {
    debug() {},
    info: (event: string) => void lines.push(event),
    warn: (event: string) => void lines.push(event),
    error() {},
  };
  await using _work = startSteadyWork({
    name: "work",
    log,
    restMs: 1,
    advance() {
      const next = steps.shift();
      if (next === undefined) done.resolve();
      return Promise.resolve().then(() => next?.() ?? false);
    },
  });
  await done.promise;
  equal(lines[0], "work_failed");
});
