/**
 * What an engine does, whatever carries it: run once for each backend.
 *
 * @module
 */

import type { Case } from "./engine_case.ts";
import { ITEM_CASES } from "./engine_suite_items.ts";
import { READ_CASES } from "./engine_suite_reads.ts";
import { RECALL_CASES } from "./engine_suite_recall.ts";
import { REMOVAL_CASES } from "./engine_suite_removals.ts";

/** Every behaviour. */
export const CASES: readonly Case[] = [
  ...ITEM_CASES,
  ...READ_CASES,
  ...RECALL_CASES,
  ...REMOVAL_CASES,
];
