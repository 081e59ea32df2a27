/**
 * `list_memories`: one page of what memory holds.
 *
 * @module
 */
import type { Hit, ItemPage } from "../../../cortex/mod.ts";
import { ToolError } from "../../errors.ts";
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
import { fitPage, MAX_BYTES_INPUT } from "../page.ts";
import { AGENT_INPUT, type View, VIEW_INPUTS, viewOf } from "./view.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_ITEM_TEXT = 300;
const MAX_CURSOR = 4_000;

const OUTPUT = objectOf({
  returned: COUNT,
  has_more: FLAG,
  next_cursor: orNull(TEXT),
  items: listOf(ITEM),
  read: READ,
}, { note: TEXT });

/** The tool. */
export const listMemories = defineTool({
  name: "list_memories",
  title: "List memories",
  access: "read",
  description:
    "Lists what memory holds, without ranking: by kind and node, the newest first, each text cut to its beginning. Use it to look around or to find ids; to find what matches words, use recall_memory.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    ...VIEW_INPUTS,
    agent: AGENT_INPUT,
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Items at most, ${DEFAULT_LIMIT} by default`,
    },
    include_replaced: {
      type: "boolean",
      description:
        "Whether items that a correction replaces come, too; replaced_by names it",
    },
    max_bytes: MAX_BYTES_INPUT,
    cursor: {
      type: "string",
      maxLength: MAX_CURSOR,
      description:
        "next_cursor of the page before, with the other arguments as they were",
    },
  }),
  output: OUTPUT,
  async run(context, args) {
    const memory = await openMemory(context);
    const { limit = DEFAULT_LIMIT, cursor } = args;
    const view = viewOf(memory, args, args.agent);
    const from = placeOf(view, cursor);
    const { pages, entries, next } = await readPages(
      memory,
      view,
      from,
      { limit, withReplaced: args.include_replaced === true },
    );
    const read = readShape(view, pages);
    const unread = entries.length === 0 && cursor === undefined
      ? await unreadNote(memory, view)
      : undefined;
    return fitPage(entries.length, (count) => {
      const shown = entries.slice(0, count);
      const nextCursor = count === entries.length
        ? next
        : shown.at(-1)?.cursor ?? null;
      return {
        returned: count,
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
        ...(shown.some(({ hit }) => isTextCut(hit, MAX_ITEM_TEXT))
          ? { note: CUT_NOTE }
          : unread === undefined
          ? {}
          : { note: unread }),
        items: shown.map(({ hit }) => itemShape(hit)),
        read,
      };
    }, args.max_bytes);
  },
});

/** A place in a view: which of its readings, and where in it. */
interface Place {
  readonly reading: number;
  readonly cursor: string | undefined;
}

/** An item, and where to go on behind it. */
interface Entry {
  readonly hit: Hit;
  readonly cursor: string;
}

/** What was read. */
interface Reading {
  readonly pages: readonly ItemPage[];
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** Reads on from a place, through the readings, until the page is full. */
async function readPages(
  { engine }: CallerMemory,
  { filters }: View,
  from: Place,
  { limit, withReplaced }: {
    readonly limit: number;
    readonly withReplaced: boolean;
  },
): Promise<Reading> {
  const pages: ItemPage[] = [];
  const entries: Entry[] = [];
  let left = limit;
  let { cursor } = from;
  for (const [reading, filter] of filters.entries()) {
    if (reading < from.reading) continue;
    if (left === 0) return { pages, entries, next: `${reading}.` };
    const page = await engine.list({
      filter,
      limit: left,
      cursor,
      withReplaced,
      textLimit: MAX_ITEM_TEXT,
    });
    pages.push(page);
    for (const [index, hit] of page.items.entries()) {
      entries.push({ hit, cursor: `${reading}.${page.cursors[index]}` });
    }
    left -= page.items.length;
    if (page.nextCursor !== undefined) {
      return { pages, entries, next: `${reading}.${page.nextCursor}` };
    }
    cursor = undefined;
  }
  return { pages, entries, next: null };
}

/** Reads a cursor: the reading's number, and the engine's own. */
function placeOf({ filters }: View, cursor: string | undefined): Place {
  if (cursor === undefined) return { reading: 0, cursor: undefined };
  const [, reading, own] = /^([0-9])\.(.*)$/s.exec(cursor) ?? [];
  if (reading !== undefined && Number(reading) < filters.length) {
    return { reading: Number(reading), cursor: own === "" ? undefined : own };
  }
  throw new ToolError(
    "The cursor is none of this listing: pass next_cursor as it came, with the other arguments as they were, or leave it out",
  );
}
