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
/** Most characters of one text, and of all texts of a result. */
const MAX_ITEM_TEXT = 20_000;
const MAX_RESULT_TEXT = 60_000;

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
  }, ["ids"]),
  output: OUTPUT,
  async run(context, { ids, text_offset: offset = 0 }) {
    const memory = await openMemory(context);
    const found = await findItems(memory, ids);
    const items = found.flatMap((got) => got.items);
    const shown: ValueOf<typeof PART>[] = [];
    let left = MAX_RESULT_TEXT;
    for (const hit of items) {
      const { shape, characters } = partShape(hit, offset);
      if (characters > left) break;
      left -= characters;
      shown.push(shape);
    }
    const isThere = new Set<string>(items.map(({ id }) => id));
    const postponed = items.slice(shown.length).map(({ id }) => id);
    return {
      returned: shown.length,
      not_found: [...new Set(ids)].filter((id) => !isThere.has(id)),
      ...(postponed.length === 0 ? {} : {
        not_shown: postponed,
        note: "The result would be too long with not_shown: ask for them again",
      }),
      items: shown,
      read: readShape(
        { node: ROOT_NODE, kinds: KINDS, reach: "below" },
        found,
      ),
    };
  },
});

/** An item with the part of its text from `offset` on. */
function partShape(
  hit: Hit,
  offset: number,
): { shape: ValueOf<typeof PART>; characters: number } {
  const characters = [...hit.text.toWellFormed()];
  const total = characters.length;
  const part = characters.slice(offset, offset + MAX_ITEM_TEXT);
  const end = offset + part.length;
  const shape = itemShape({ ...hit, text: part.join("") }, MAX_ITEM_TEXT);
  if (part.length === total) return { shape, characters: total };
  return {
    shape: {
      ...shape,
      text_part: {
        from: offset,
        characters: part.length,
        of: total,
        next_text_offset: end < total ? end : null,
      },
    },
    characters: part.length,
  };
}
