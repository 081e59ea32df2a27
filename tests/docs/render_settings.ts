/**
 * The table of `docs/configuration.md`.
 *
 * @module
 */
import { SETTINGS } from "../../cli/settings/config.ts";
import { table } from "./markdown.ts";

/** Every variable, what holds without it, and what it means. */
export function renderSettings(): string {
  return table(
    ["variable", "default", "meaning"],
    SETTINGS.flatMap(({ name, standard, meaning, file }) => [
      [`\`${name}\``, standard, meaning],
      ...(file === undefined ? [] : [[
        `\`${file.name}\``,
        "none",
        `a file whose first line is \`${name}\``,
      ]]),
    ]),
  );
}
