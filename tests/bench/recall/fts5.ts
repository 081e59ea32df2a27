/**
 * Memories in SQLite's FTS5 with the Porter stemmer, ranked by `bm25`: what
 * memory servers on SQLite do.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { type Corpus, wholeText } from "./corpus.ts";
import type { Ranker } from "./score.ts";

/** A ranker; it goes with its process. */
export function createFts5Ranker({ memories }: Corpus): Ranker {
  const db = new DatabaseSync(":memory:");
  db.exec(
    "create virtual table memories using fts5(id unindexed, body, tokenize = 'porter unicode61')",
  );
  const insert = db.prepare("insert into memories (id, body) values (?, ?)");
  for (const memory of memories) insert.run(memory.id, wholeText(memory));
  const search = db.prepare(
    "select id from memories where memories match ? order by bm25(memories), rowid limit 10",
  );
  return {
    label: "FTS5",
    rank({ query }) {
      const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      if (words.length === 0) return [];
      const match = words.map((word) => `"${word}"`).join(" OR ");
      return search.all(match).map(({ id }) => String(id));
    },
  };
}
