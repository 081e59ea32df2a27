/**
 * What the cases of the engine's suite are made of.
 *
 * @module
 */

import { deepEqual, ok } from "node:assert/strict";
import { CortexRefusalError } from "../../../cortex/words.ts";
import type { Engine, Filter, Hit, Item, ItemId } from "../../../cortex/mod.ts";
import { itemId } from "../../../cortex/engine/item/item.ts";
import { at, type World } from "./engine_worlds.ts";

/** One behaviour. */
export interface Case {
  readonly name: string;
  /** Left out where there is no retired root. */
  readonly needsOld?: true;
  /** Takes long: once for each placing is enough. */
  readonly isHeavy?: true;
  run(world: World): Promise<void>;
}

/** The filter that everything passes. */
export const EVERYTHING: Filter = {};

/** Texts of items, sorted. */
export function textsOf(hits: readonly Hit[]): readonly string[] {
  return hits.map(({ text }) => text).sort();
}

/** All pages of a listing. */
export async function listAll(
  engine: Engine,
  filter: Filter,
  limit = 100,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({ filter, limit, cursor });
    ok(page.items.length <= limit);
    hits.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hits;
}

/** The same without what is undefined, as an item may leave anything out. */
export function plain(item: Item): unknown {
  return JSON.parse(JSON.stringify(item));
}

/** The engine that wrote below the root that is retired now. */
export function oldOf({ old }: World): Engine {
  ok(old);
  return old;
}

/** Stores items; their ids. */
export async function put(engine: Engine, ...items: Item[]): Promise<ItemId[]> {
  const receipts = await engine.store(items);
  deepEqual(receipts.map(({ id }) => id), items.map(itemId));
  return receipts.map(({ id }) => id);
}

/** Whether an error says that the request itself was wrong. */
export function isInvalid(error: unknown): boolean {
  return error instanceof CortexRefusalError &&
    error.reason === "invalid_request" && error.status === undefined;
}

/** An item of the suite. */
export const FULL: Item = {
  kind: "learning",
  text: "Alice drinks her coffee black ☕ — «sans sucre»",
  learningKind: "preference",
  confidence: 0.75,
  evidence: "She said so.\nTwice.",
  meta: {
    node: at("agent:barista"),
    workspace: "café",
    folder: "notes/drinks",
    filePath: "notes/drinks/coffee.md",
    language: "fr",
    repo: "alice/notes",
    commit: "abc123",
    url: "https://example.org/?q=coffee&x=1,2",
    threadId: "thread-1",
    turns: { first: 3, last: 4 },
    agentId: "barista",
    toolCall: { name: "note", id: "call-9" },
    source: { kind: "import", id: "vault" },
    tags: ["drink", "two words", "☕"],
    observedAt: "2026-08-01T10:00:00.5+02:00",
    derive: false,
  },
};

/** An item of the suite. */
export const DIALOGUE: Item = {
  kind: "conversation",
  turns: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "When does the train leave?" },
    {
      role: "assistant",
      text: "Looking.",
      at: "2026-08-01T10:00:00Z",
      toolCalls: [{ name: "timetable", id: "c1" }, { name: "clock" }],
    },
    { role: "tool", text: '{"leaves": "09:14"}' },
  ],
  meta: { node: at("ws:main"), agentId: "guide", threadId: "trip" },
};

/** An item of the suite. */
export const PAGE: Item = {
  kind: "document",
  title: "Opening hours",
  body: "# Opening hours\n\nMonday to Friday, eight to six.\n",
  mime: "text/markdown",
  meta: { node: at("source:site/project:shop") },
};
