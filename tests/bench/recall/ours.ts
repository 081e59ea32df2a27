/**
 * Memories in this server, placed as agents place them, and recalled by the
 * tool: learnings that all agents share, some that are the agent's own, its
 * documents, and the conversations of everybody.
 *
 * @module
 */
import { createDirectClient } from "../../../cortex/client/mod.ts";
import {
  createEngine,
  type Item,
  type ItemMeta,
  readEngineSettings,
  type StoreReceipt,
} from "../../../cortex/mod.ts";
import {
  createEmbedder,
  createFiller,
  createLocalCortex,
} from "../../../cortex/local/mod.ts";
import type { MemoryService } from "../../../mcp/mod.ts";
import { PostgresEventLog } from "../../../store/event_log/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import type { FakeEmbeddings } from "../../support/fake_embeddings.ts";
import { parseNode } from "../../../cortex/layout/mod.ts";
import { openEndpoint, sessionQuery } from "../../support/endpoint.ts";
import type { TestDb } from "../../support/test_db.ts";
import type { Corpus, Memory, Question } from "./corpus.ts";
import type { Ranker } from "./score.ts";

const AGENT = "gardener";
const BATCH = 50;
/** Every so many learnings one is the agent's own. */
const OWN_EVERY = 4;

/** Memories in this server. */
export interface Ours extends AsyncDisposable {
  /** By the question alone. */
  readonly plain: Ranker;
  /** By the question, and the same in other words. */
  readonly also: Ranker;
  /** What the tool answers a question in words; null: nothing does. */
  answer(question: Question): Promise<string | null>;
  /** Milliseconds that each recall of `plain` took. */
  readonly tookMs: readonly number[];
}

/** How it is set up. */
export interface OursOptions {
  /** A service whose vectors are used, too. */
  readonly embeddings?: FakeEmbeddings | undefined;
}

/** Stores a corpus in a database, below a root of its own. */
export async function openOurs(
  corpus: Corpus,
  test: TestDb,
  { embeddings }: OursOptions = {},
): Promise<Ours> {
  await using stack = new AsyncDisposableStack();
  const root = `org:recall-${corpus.name}${embeddings ? "-near" : ""}`;
  const meaning = embeddings && openMeaning(test.db, embeddings, root);
  const endpoint = stack.use(
    await openEndpoint({
      test,
      ...(meaning === undefined
        ? { cortex: { cortexScopeRoot: root } }
        : { memory: meaning.memory }),
    }),
  );
  const query = await sessionQuery(endpoint, AGENT, "memory");
  const idOf = await storeAll(corpus, async (items) => {
    const engine = await endpoint.services.memory?.engine();
    if (engine === undefined) throw new Error("There is no memory");
    return await engine.store(items);
  });
  await meaning?.fill();
  const tookMs: number[] = [];
  const recall = async (args: Readonly<Record<string, unknown>>) => {
    const answer = await endpoint.call(query, "recall_memory", args);
    if (answer.isError) throw new Error(answer.text);
    return answer.data;
  };
  const idsOf = (items: readonly { readonly id: string }[]) =>
    items.map(({ id }) => idOf.get(id) ?? id);
  const held = stack.move();
  return {
    plain: {
      label: embeddings ? "ours, vectors" : "ours",
      async rank(question) {
        const began = performance.now();
        const { items } = await recall({ query: question.query });
        tookMs.push(performance.now() - began);
        return idsOf(items);
      },
    },
    also: {
      label: "ours, also",
      async rank({ query, also }) {
        return idsOf((await recall({ query, also })).items);
      },
    },
    async answer(question) {
      const { answer } = await recall({ query: question.query, answer: true });
      return answer.text;
    },
    tookMs,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Memory that finds by meaning, too, and waits as long as that takes. */
function openMeaning(db: Db, service: FakeEmbeddings, scopeRoot: string) {
  const log = new PostgresEventLog(() => Promise.resolve(db));
  const embedder = createEmbedder({ url: service.url, model: "synonyms" });
  const { fetch } = createLocalCortex({ log, embedder, vectorWaitMs: 60_000 });
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      fetch: (input, init) => fetch(new Request(input, init)),
    }),
    layout: readEngineSettings({ scopeRoot }).layout,
    isVisibleAtOnce: true,
    listsBelow: true,
  });
  const step = createFiller({ log, embedder });
  const memory: MemoryService = {
    engine: () => Promise.resolve(engine),
    health: () => Promise.reject(new TypeError("Nobody asks")),
  };
  return {
    memory,
    async fill() {
      const { signal } = new AbortController();
      while (await step(signal) === true);
    },
  };
}

/** By the id of the item, the memory that it is. */
async function storeAll(
  { memories }: Corpus,
  store: (items: readonly Item[]) => Promise<readonly StoreReceipt[]>,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (let at = 0; at < memories.length; at += BATCH) {
    const some = memories.slice(at, at + BATCH);
    const receipts = await store(
      some.map((memory, index) => toItem(memory, at + index)),
    );
    for (const [index, { id }] of receipts.entries()) {
      ids.set(id, some[index]?.id ?? "");
    }
  }
  return ids;
}

function toItem(memory: Memory, index: number): Item {
  const { text = "", title, tags, filePath, url, commit, language } = memory;
  const meta = (node: string): ItemMeta => ({
    node: parseNode(node),
    agentId: AGENT,
    tags,
    filePath,
    url,
    commit,
    language,
    // In the order of the file, a minute apart.
    observedAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  });
  switch (memory.kind) {
    case "document":
      return {
        kind: "document",
        body: text,
        title,
        meta: meta(`agent:${AGENT}`),
      };
    case "conversation":
      return {
        kind: "conversation",
        turns: memory.turns ?? [],
        meta: { ...meta("ws:main"), threadId: memory.id },
      };
    case "learning":
      return {
        kind: "learning",
        text,
        learningKind: "fact",
        confidence: 0.8,
        meta: meta(index % OWN_EVERY === 0 ? `agent:${AGENT}` : "root"),
      };
  }
}
