/**
 * Metadata whose long texts are cut: keys and nesting stay as they are.
 *
 * @module
 */
import type { Markdown } from "../markdown/document.ts";
import { grouped, md } from "../markdown/inline.ts";
import { countCharacters } from "../render.ts";

/** Characters of a text value. */
const VALUE_CHARACTERS = 300;
/** Characters of all of it: values may be many. */
const ALL_CHARACTERS = 6_000;

/** What a scheduler reads is short, and is never cut. */
const SCHEDULER_KEY_REGEXP = /^(auth_outage|spot_hold|spot_pause)_/;

/** Writes metadata with its long texts cut, and says what was. */
export function cutLongTexts(
  markdown: Markdown,
  data: Readonly<Record<string, unknown>>,
): void {
  const cut: { readonly path: string; readonly characters: number }[] = [];
  const shown = cutIn(data, "", cut);
  const size = JSON.stringify(shown, undefined, 2).length;
  if (size > ALL_CHARACTERS) {
    markdown.line(
      md`_(cut: ${grouped(Object.keys(data).length)} keys, ${
        grouped(JSON.stringify(data).length)
      } characters as JSON; verbose: true shows them)_`,
    );
    return;
  }
  markdown.json(shown);
  if (cut.length === 0) return;
  const [first] = cut;
  markdown.line(
    md`_(cut: ${cut.length} text(s) longer than ${VALUE_CHARACTERS} characters, the first ${
      first?.path ?? ""
    } of ${
      grouped(first?.characters ?? 0)
    }; each ends in its real length; verbose: true shows all)_`,
  );
}

function cutIn(
  value: unknown,
  path: string,
  cut: { path: string; characters: number }[],
): unknown {
  if (typeof value === "string") {
    const characters = countCharacters(value);
    if (characters <= VALUE_CHARACTERS) return value;
    cut.push({ path, characters });
    return `${
      [...value.slice(0, 2 * VALUE_CHARACTERS)].slice(0, VALUE_CHARACTERS).join(
        "",
      )
    }… [${VALUE_CHARACTERS} of ${grouped(characters)} characters]`;
  }
  if (Array.isArray(value)) {
    return value.map((one, index) => cutIn(one, `${path}/${index}`, cut));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      SCHEDULER_KEY_REGEXP.test(key) ? one : cutIn(one, `${path}/${key}`, cut),
    ]),
  );
}
