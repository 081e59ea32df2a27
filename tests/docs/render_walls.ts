/**
 * The walls of `docs/architecture.md`, as the linter holds them.
 *
 * @module
 */
import { MAY_IMPORT } from "../lint/house.ts";
import { names, table } from "./markdown.ts";

/** Which module may import the doors of which. */
export function renderWalls(): string {
  return table(
    ["module", "may import"],
    Object.entries(MAY_IMPORT).map(([module, others]) => [
      `\`${module}\``,
      others.length === 0 ? "–" : names(others),
    ]),
  );
}
