/**
 * Reading on in the text of an item of which only the beginning was read.
 *
 * Parts whose text is at hand cost nothing; of the others those are read whole,
 * one by one, in which the characters asked for lie.
 *
 * @module
 */

import { countCharacters, sliceCharacters } from "../../characters.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { open } from "../item/envelope.ts";
import { lengthOf, type ReadableHit, type TextPart } from "../item/rebuild.ts";

/** Which characters of a text to read. */
export interface TextRange {
  /** The first, from 0. */
  readonly from: number;
  /** How many at most. */
  readonly count: number;
}

/** Reads a stretch of one text; what is gone meanwhile is left out. */
export type TextReader = (
  range: TextRange,
  options?: OperationOptions,
) => Promise<string>;

/** A reader of an item's text. It keeps the part that it read last. */
export function createTextReader(
  { client }: EngineContext,
  { parts }: Pick<ReadableHit, "parts">,
): TextReader {
  let last: { readonly part: TextPart; readonly text: string } | undefined;
  const wholeOf = async (part: TextPart, options: OperationOptions) => {
    if (last?.part === part) return last.text;
    const event = await client.readEvent(part.eventId, options);
    const text = event === undefined ? undefined : open(event)?.text;
    last = { part, text: text ?? part.text };
    return last.text;
  };
  return async ({ from, count }, options = {}) => {
    const texts: string[] = [];
    for (const part of parts) {
      const { lead, text, characters, start } = part;
      const length = lengthOf(part);
      const first = Math.max(from - start, 0);
      const end = Math.min(from + count - start, length);
      if (first >= length) continue;
      if (end <= 0) break;
      const atHand = countCharacters(text);
      const isEnough = atHand >= characters ||
        countCharacters(lead) + atHand >= end;
      const whole = isEnough ? text : await wholeOf(part, options);
      texts.push(sliceCharacters(lead + whole, first, end - first));
    }
    return texts.join("");
  };
}
