/**
 * `recall_memory`: the items that match words best.
 *
 * @module
 */
import type { Recalled, RecalledHit } from "../../../cortex/mod.ts";
import {
  MAX_ALSO_PHRASINGS,
  MAX_QUERY_CHARACTERS,
} from "../../../cortex/words.ts";
import { type CallerMemory, openMemory } from "./caller.ts";
import {
  CUT_NOTE,
  isTextCut,
  ITEM,
  itemShape,
  READ,
  readShape,
  unreadNote,
} from "./shapes.ts";
import { bestPart, findPassage } from "./passage.ts";
import { fitPage, MAX_BYTES_INPUT } from "../page.ts";
import { AGENT_INPUT, type View, VIEW_INPUTS, viewOf } from "./view.ts";
import { countCharacters, cutText } from "../../render.ts";
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
/** Most ids of items that say the same. */
const MAX_SAME = 20;
/** Most words of a query that are said to have been read otherwise. */
const MAX_REPAIRED = 24;
const NO_WORDS_NOTE =
  "The query has no words, so nothing was looked for; list_memories shows the newest";
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
  items: listOf(withOptional(ITEM, { match: MATCH, same_as: listOf(TEXT) })),
  read: withOptional(READ, { ranking_cut: FLAG, ranking_note: TEXT }),
}, {
  note: TEXT,
  answer: ANSWER,
  repaired: listOf(objectOf({ word: TEXT, instead: listOf(TEXT) })),
});

/** The tool. */
export const recallMemory = defineTool({
  name: "recall_memory",
  title: "Recall memory",
  access: "read",
  description:
    "Finds what memory holds about something, best match first: learnings, documents and conversations of this agent, and what all agents of this person share. Call it when a task begins and before you ask the user something that they may have said before. Query with the words you expect in the memory: what shares no word with the query is not found, so pass other words, and other languages the user speaks, in also. score says how well an item fits, up to 1; same_as names items that say the same. A long text shows its beginning and, as match, the passage with most of the words; get_memory reads on from its text_offset. answer: true adds an answer in words from what was found.",
  isDestructive: false,
  isIdempotent: true,
  isShownAtOnce: true,
  input: inputOf({
    query: {
      type: "string",
      minLength: 1,
      maxLength: MAX_QUERY_CHARACTERS,
      description: "What to look for, in words",
    },
    also: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
      maxItems: MAX_ALSO_PHRASINGS,
      description:
        "The same in other words: synonyms, the bare key words, a name or identifier, the user's other languages. Memory is found by its words, and you know other words for what you look for; each phrasing is searched by itself and the findings are merged, so one that misses does no harm",
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
    const { query, also, limit = DEFAULT_LIMIT, offset = 0 } = args;
    const view = viewOf(memory, args, args.agent);
    const found = await memory.engine.recall({
      query,
      also,
      filter: view.filters,
      limit,
      offset,
      textLimit: MAX_ITEM_TEXT,
    });
    const { items } = found;
    const unread = items.length === 0 && found.hasWords
      ? await unreadNote(memory, view)
      : undefined;
    const isMore = found.nextOffset !== undefined;
    const answer = args.answer === true
      ? await answerFrom(memory, view, query)
      : undefined;
    const read = {
      ...readShape(view, [found]),
      ...(found.isRankingCut
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
        ...noteOf(found, shown, unread),
        ...repairedShape(found),
        ...(answer === undefined ? {} : { answer }),
        items: shown.map((hit, index) => ({
          ...itemShape(hit),
          ...matches[index],
          ...(hit.sameAs.length === 0
            ? {}
            : { same_as: hit.sameAs.slice(0, MAX_SAME) }),
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
  hit: RecalledHit,
  query: string,
): Promise<Match> {
  if (!isTextCut(hit, MAX_ITEM_TEXT)) return {};
  if (hit.passage !== undefined) {
    const { offset, text } = hit.passage;
    const { from, part } = bestPart(query, text);
    const start = offset + from;
    const isShown = start + countCharacters(part) <= MAX_ITEM_TEXT;
    return isShown ? {} : { match: { text_offset: start, text: part } };
  }
  const match = await findPassage(query, {
    beginning: hit.text,
    read: engine.reader(hit),
  });
  return match === undefined ? {} : { match };
}

/** What the caller should know of the items, or of why there are none. */
function noteOf(
  { hasWords, unindexed }: Recalled,
  shown: readonly RecalledHit[],
  unread: string | undefined,
): { readonly note?: string } {
  const notes = [
    ...(unread === undefined ? [] : [unread]),
    ...(hasWords ? [] : [NO_WORDS_NOTE]),
    ...(unindexed > 0
      ? [
        `${unindexed} memories are not indexed yet and may be missing; list_memories shows them`,
      ]
      : []),
    ...(shown.some((hit) => isTextCut(hit, MAX_ITEM_TEXT)) ? [CUT_NOTE] : []),
  ];
  return notes.length === 0 ? {} : { note: notes.join(". ") };
}

/** Words that stand nowhere in memory, and what was looked for instead. */
function repairedShape(
  { repaired }: Recalled,
): Pick<ValueOf<typeof OUTPUT>, "repaired"> {
  const shown = repaired.filter(({ instead }) => instead.length > 0)
    .slice(0, MAX_REPAIRED);
  return shown.length === 0 ? {} : { repaired: shown };
}

/** What the findings say together. */
async function answerFrom(
  { engine }: CallerMemory,
  { filters }: View,
  question: string,
): Promise<ValueOf<typeof ANSWER>> {
  const { text, model, cited } = await engine.answer({
    question,
    filter: filters,
  });
  return {
    text: text === undefined ? null : cutText(text, MAX_ANSWER),
    model: model ?? null,
    cited: cited.slice(0, MAX_LIMIT),
  };
}
