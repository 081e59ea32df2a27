/**
 * Templates of prompts: `{{name}}` stands for what the event says of itself.
 *
 * What an event says was written by others. It is put in once and never looked
 * through for names itself.
 *
 * @module
 */
import { LIMITS } from "../sessions/texts.ts";

/** What an event says, by name; `body.a.b` is a name, too. */
export type Variables = Readonly<Record<string, string>>;

/** Characters of a value at most; a long one ends in its length. */
const MAX_VALUE_CHARACTERS = 50_000;

const NAME_REGEXP = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

/** The prompt; a name that nothing is known of stands for nothing. */
export function renderPrompt(template: string, variables: Variables): string {
  const whole = template.replace(
    NAME_REGEXP,
    (_all, name: string) =>
      Object.hasOwn(variables, name) ? cut(variables[name] ?? "") : "",
  );
  return [...whole.slice(0, 2 * LIMITS.prompt)].slice(0, LIMITS.prompt)
    .join("");
}

/** Time and date of an event in a zone, as `09:30` and `2026-03-01`. */
export function timeVariables(at: Date, timezone: string): Variables {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timezone);
  return {
    time: local.toPlainTime().toString({ smallestUnit: "minute" }),
    date: local.toPlainDate().toString(),
  };
}

/** Text without what no database takes. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function cut(value: string): string {
  const text = storable(value);
  if (text.length <= MAX_VALUE_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed();
  return `${beginning}… [${text.length} characters]`;
}
