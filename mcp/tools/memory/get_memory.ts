/**
 * `get_memory`: items by their ids, whole.
 *
 * @module
 */
import { KINDS, ROOT_NODE } from "../../../cortex/words.ts";
import type { Hit } from "../../../cortex/mod.ts";
import { openMemory } from "./caller.ts";
import { findItems } from "./find.ts";
import { ITEM, itemShape, READ, readShape } from "./shapes.ts";
import { countCharacters } from "../../render.ts";
import {
  bytesOf,
  DEFAULT_PAGE_BYTES,
  fitText,
  MAX_BYTES_INPUT,
} from "../page.ts";
import {
  COUNT,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  withOptional,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** Most ids of a call. */
const MAX_GET = 50;
/** Most characters of one text. */
const MAX_ITEM_TEXT = 20_000;
/** What is read of every text: most are no longer. */
const FIRST_LOOK = 2_000;
/** What is shown of a text that does not fit, where it is the only one. */
const LEAST_TEXT = 500;

const PART = withOptional(ITEM, {
  text_part: objectOf({
    from: COUNT,
    characters: COUNT,
    of: COUNT,
    next_text_offset: orNull(COUNT),
  }),
});
const OUTPUT = objectOf({
  returned: COUNT,
  not_found: listOf(TEXT),
  items: listOf(PART),
  read: READ,
}, { not_shown: listOf(TEXT), note: TEXT });

/** The tool. */
export const getMemory = defineTool({
  name: "get_memory",
  title: "Get memory",
  access: "read",
  description:
    `Reads items of this person's memory by their ids, with whole texts. A text of more than ${MAX_ITEM_TEXT} characters comes in parts: text_offset continues it. Ids that are not there are named, not an error.`,
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    ids: {
      type: "array",
      items: { type: "string", maxLength: 80 },
      minItems: 1,
      maxItems: MAX_GET,
      description: "Ids, as the other tools return them",
    },
    text_offset: {
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Characters of each text to skip; for long texts",
    },
    max_bytes: MAX_BYTES_INPUT,
  }, ["ids"]),
  output: OUTPUT,
  async run(context, args) {
    const { ids, text_offset: offset = 0, max_bytes: maxBytes } = args;
    const memory = await openMemory(context);
    const found = await findItems(memory, ids, FIRST_LOOK);
    const items = found.flatMap((got) => got.items);
    const isThere = new Set<string>(items.map(({ id }) => id));
    const missing = [...new Set(ids)].filter((id) => !isThere.has(id));
    const read = readShape(
      { node: ROOT_NODE, kinds: KINDS, reach: "below" },
      found,
    );
    const pageOf = (
      shown: readonly ValueOf<typeof PART>[],
    ): ValueOf<typeof OUTPUT> => {
      const postponed = items.slice(shown.length).map(({ id }) => id);
      return {
        returned: shown.length,
        not_found: missing,
        ...(postponed.length === 0 ? {} : {
          not_shown: postponed,
          note:
            "The result would be too long with not_shown: ask for them again",
        }),
        items: shown,
        read,
      };
    };
    const shown: ValueOf<typeof PART>[] = [];
    for (const hit of items) {
      const read = memory.engine.reader(hit);
      const text = await read({ from: offset, count: MAX_ITEM_TEXT });
      shown.push(partShape(hit, offset, text));
      if (bytesOf(pageOf(shown)) > (maxBytes ?? DEFAULT_PAGE_BYTES)) {
        if (shown.length > 1) return pageOf(shown.slice(0, -1));
        return fitText(
          text,
          (beginning) => pageOf([partShape(hit, offset, beginning)]),
          { least: LEAST_TEXT, maxBytes },
        );
      }
    }
    return pageOf(shown);
  },
});

/** An item with a part of its text, which begins at `offset`. */
function partShape(
  hit: Hit,
  offset: number,
  part: string,
): ValueOf<typeof PART> {
  const total = hit.characters;
  const characters = countCharacters(part);
  const shape = itemShape({ ...hit, text: part, characters });
  if (characters === total) return shape;
  const end = offset + characters;
  return {
    ...shape,
    text_part: {
      from: offset,
      characters,
      of: total,
      next_text_offset: end < total ? end : null,
    },
  };
}
