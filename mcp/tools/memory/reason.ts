/**
 * Why a removal ended before it was done, in words for the caller.
 *
 * @module
 */
import {
  CortexRefusalError,
  CortexUnavailableError,
} from "../../../cortex/words.ts";
import { cutText } from "../../render.ts";

const MAX_REASON = 300;

/** The reason, where it is one that a caller may read. */
export function reasonOf({ error }: { readonly error: unknown }): string {
  const isKnown = error instanceof CortexRefusalError ||
    error instanceof CortexUnavailableError;
  return cutText(
    isKnown ? error.message : "CortexDB gave no usable answer",
    MAX_REASON,
  );
}
