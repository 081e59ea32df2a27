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

/** A stretch of an item's text; what is gone meanwhile is left out. */
export async function readText(
  context: EngineContext,
  { parts }: Pick<ReadableHit, "parts">,
  { from, count }: TextRange,
  options: OperationOptions,
): Promise<string> {
  const texts: string[] = [];
  let start = 0;
  for (const part of parts) {
    const length = lengthOf(part);
    const first = Math.max(from - start, 0);
    const last = Math.min(from + count - start, length);
    start += length;
    if (first >= length) continue;
    if (last <= 0) break;
    const text = await textUpTo(context, part, last, options);
    texts.push(sliceCharacters(text, first, last - first));
  }
  return texts.join("");
}

/** A part's text with its lead, at least as far as it is asked for. */
async function textUpTo(
  { client }: EngineContext,
  { eventId, lead, text, characters }: TextPart,
  last: number,
  options: OperationOptions,
): Promise<string> {
  const atHand = countCharacters(text);
  if (atHand >= characters || countCharacters(lead) + atHand >= last) {
    return lead + text;
  }
  const event = await client.readEvent(eventId, options);
  const whole = event === undefined ? undefined : open(event)?.text;
  return lead + (whole ?? text);
}
