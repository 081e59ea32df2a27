/**
 * Memories in the official memory server. Its search looks for a text, so each
 * word of a question is looked for, and what holds most of them comes first.
 *
 * @module
 */
import { clientPath } from "../../support/clients.ts";
import { type McpClient, openMcp } from "../pipe_client.ts";
import { type Corpus, wholeText } from "./corpus.ts";
import type { Ranker } from "./score.ts";

/** Shorter ones stand in everything. */
const MIN_WORD = 3;

/** A ranker behind a process. */
export async function openServerMemoryRanker(
  { memories }: Corpus,
  env: Readonly<Record<string, string>>,
): Promise<Ranker & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "rc-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const path = `${folder}/memory.jsonl`;
  const lines = memories.map((memory) =>
    JSON.stringify({
      type: "entity",
      name: memory.id,
      entityType: memory.kind,
      observations: [wholeText(memory)],
    })
  );
  await Deno.writeTextFile(path, lines.join("\n"));
  const program = await clientPath(
    "@modelcontextprotocol/server-memory/dist/index.js",
  );
  const server = stack.use(
    await openMcp("node", [program], { ...env, MEMORY_FILE_PATH: path }),
  );
  // Common words bring up whole documents, so each is asked for once.
  const known = new Map<string, readonly string[]>();
  const namesWith = (word: string): readonly string[] => {
    const names = known.get(word) ?? search(server, word);
    known.set(word, names);
    return names;
  };
  const held = stack.move();
  return {
    label: "server-memory",
    rank({ query }) {
      const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      const found = new Map<string, number>();
      for (const word of new Set(words)) {
        if (word.length < MIN_WORD) continue;
        for (const name of namesWith(word)) {
          found.set(name, (found.get(name) ?? 0) + 1);
        }
      }
      return [...found].sort(([, a], [, b]) => b - a).slice(0, 10)
        .map(([id]) => id);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function search(server: McpClient, query: string): readonly string[] {
  const answer = server.call("search_nodes", { query });
  const entities: readonly { readonly name: string }[] =
    JSON.parse(answer).result.structuredContent.entities;
  return entities.map(({ name }) => name);
}
