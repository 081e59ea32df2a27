/**
 * `recall_memory`: the items that match words best.
 *
 * @module
 */
import type { ReadableHit } from "../../../cortex/mod.ts";
import { type CallerMemory, openMemory } from "./caller.ts";
import {
  CUT_NOTE,
  isTextCut,
  ITEM,
  itemShape,
  READ,
  readShape,
} from "./shapes.ts";
import { findPassage } from "./passage.ts";
import { fitPage, MAX_BYTES_INPUT } from "../page.ts";
import { AGENT_INPUT, type View, VIEW_INPUTS, viewOf } from "./view.ts";
import { cutText } from "../../render.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  withOptional,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const MAX_OFFSET = 200;
const MAX_ITEM_TEXT = 1_500;
const MAX_ANSWER = 8_000;
const RANKING_NOTE =
  "More matches the query than is ranked: items may be missing. Use rarer words, or list_memories with the same filter";

const MATCH = objectOf({ text_offset: COUNT, text: TEXT });
const ANSWER = objectOf({
  text: orNull(TEXT),
  model: orNull(TEXT),
  cited: listOf(TEXT),
});
const OUTPUT = objectOf({
  query: TEXT,
  returned: COUNT,
  has_more: FLAG,
  next_offset: orNull(COUNT),
  items: listOf(withOptional(ITEM, { match: MATCH })),
  read: withOptional(READ, { ranking_cut: FLAG, ranking_note: TEXT }),
}, { note: TEXT, answer: ANSWER });

/** The tool. */
export const recallMemory = defineTool({
  name: "recall_memory",
  title: "Recall memory",
  access: "read",
  description:
    "Finds what memory holds about something, best match first: learnings, documents and conversations of this agent, and what all agents of this person share. Call it when a task begins and before you ask the user something that they may have said before. Query with the words you expect in the memory. A long text shows its beginning and, as match, the passage with most of the words; get_memory reads on from its text_offset. answer: true adds an answer in words from what was found.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    query: {
      type: "string",
      minLength: 1,
      maxLength: 4_000,
      description: "What to look for, in words",
    },
    ...VIEW_INPUTS,
    agent: AGENT_INPUT,
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Items at most, ${DEFAULT_LIMIT} by default`,
    },
    max_bytes: MAX_BYTES_INPUT,
    offset: {
      type: "integer",
      minimum: 0,
      maximum: MAX_OFFSET,
      description: "Items to skip; pass next_offset of the page before",
    },
    answer: {
      type: "boolean",
      description: "Whether to answer the query in words, too",
    },
  }, ["query"]),
  output: OUTPUT,
  async run(context, args) {
    const memory = await openMemory(context);
    const { query, limit = DEFAULT_LIMIT, offset = 0 } = args;
    const view = viewOf(memory, args, args.agent);
    const end = offset + limit;
    const found = await Promise.all(
      view.filters.map((filter) =>
        memory.engine.recall({
          query,
          filter,
          limit: end,
          textLimit: MAX_ITEM_TEXT,
        })
      ),
    );
    // Each reading is ranked by itself: best of all first, then the seconds.
    const ranked = found.flatMap(({ items }) => items)
      .toSorted((a, b) => b.score - a.score);
    const items = ranked.slice(offset, end);
    const isMore = ranked.length > end ||
      found.some(({ nextOffset }) => nextOffset !== undefined);
    const answer = args.answer === true
      ? await answerFrom(memory, view, query)
      : undefined;
    const read = {
      ...readShape(view, found),
      ...(found.some(({ isRankingCut }) => isRankingCut)
        ? { ranking_cut: true, ranking_note: RANKING_NOTE }
        : {}),
    };
    const pageOf = (
      count: number,
      matches: readonly Match[] = [],
    ): ValueOf<typeof OUTPUT> => {
      const shown = items.slice(0, count);
      const next = offset + count;
      const hasMore = isMore || count < items.length;
      return {
        query,
        returned: count,
        has_more: hasMore,
        next_offset: hasMore && next <= MAX_OFFSET ? next : null,
        ...(shown.some((hit) => isTextCut(hit, MAX_ITEM_TEXT))
          ? { note: CUT_NOTE }
          : {}),
        ...(answer === undefined ? {} : { answer }),
        items: shown.map((hit, index) => ({
          ...itemShape(hit),
          ...matches[index],
        })),
        read,
      };
    };
    // Passages are looked for where there is room for the item at all.
    const { returned } = fitPage(items.length, pageOf, args.max_bytes);
    const matches: Match[] = [];
    for (const hit of items.slice(0, returned)) {
      matches.push(await matchOf(memory, hit, query));
    }
    return fitPage(returned, (count) => pageOf(count, matches), args.max_bytes);
  },
});

/** What is shown of a long text beside its beginning. */
interface Match {
  readonly match?: ValueOf<typeof MATCH>;
}

/** What a long text has of the query, where its beginning has none of it. */
async function matchOf(
  { engine }: CallerMemory,
  hit: ReadableHit,
  query: string,
): Promise<Match> {
  if (!isTextCut(hit, MAX_ITEM_TEXT)) return {};
  const match = await findPassage(query, {
    beginning: hit.text,
    read: engine.reader(hit),
  });
  return match === undefined ? {} : { match };
}

/** The answer of the reading that has most to say. */
async function answerFrom(
  { engine }: CallerMemory,
  { filters }: View,
  question: string,
): Promise<ValueOf<typeof ANSWER>> {
  const answers = await Promise.all(
    filters.map((filter) => engine.answer({ question, filter })),
  );
  const [best] = answers.toSorted((a, b) => b.cited.length - a.cited.length);
  return {
    text: best?.text === undefined ? null : cutText(best.text, MAX_ANSWER),
    model: best?.model ?? null,
    cited: best?.cited.slice(0, MAX_LIMIT) ?? [],
  };
}
