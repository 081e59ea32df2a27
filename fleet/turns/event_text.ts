/**
 * What of an event can be read, and what of it can be stored.
 *
 * @module
 */

/** What somebody reads; null where there is nothing to read. */
export function readableText(
  kind: string,
  payload: Readonly<Record<string, unknown>>,
): string | null {
  const { text, title, detail, outcome } = payload;
  switch (kind) {
    case "text":
    case "thought":
    case "notice":
    case "stderr":
      return typeof text === "string" ? text : null;
    case "tool":
      return typeof title === "string" ? title : null;
    case "ended":
      return [outcome, detail].filter((part) =>
        typeof part === "string" && part !== ""
      ).join(": ");
    default:
      return null;
  }
}

/** The same without what the database cannot hold: NUL and half characters. */
export function storable(
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [cleanText(name), clean(one)]),
  );
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return storable({ ...value });
}

function cleanText(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}
