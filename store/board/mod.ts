/**
 * What the board is read from.
 *
 * Nothing here changes anything.
 *
 * @module
 */
export type { BoardCard, BoardChanges, BoardFilter } from "./cards.ts";
export { LOOK_BACK_SECONDS, readCards, readChanges } from "./cards.ts";
export type { BoardCategory } from "./categories.ts";
export { readCategories } from "./categories.ts";
export { readMarks } from "./marks.ts";
export type { ListedTurn } from "./turns.ts";
export { listTurns, PROMPT_CHARACTERS } from "./turns.ts";
