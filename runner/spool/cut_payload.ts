/**
 * Cuts what an event says to a size that can be sent and kept.
 *
 * @module
 */

/** What is allowed. */
export interface CutOptions {
  /** Most bytes of a payload as JSON. */
  readonly maxBytes: number;
  /** What remains of a text that is cut, in characters. */
  readonly keepBytes: number;
}

/** The payload, its long texts cut where it is too large, and said so. */
export function cutPayload(
  payload: Readonly<Record<string, unknown>>,
  options: CutOptions,
): Readonly<Record<string, unknown>> {
  const bytes = sizeOf(payload);
  if (bytes <= options.maxBytes) return payload;
  const cut = cutTexts(payload, options.keepBytes);
  const whole = { ...cut as Record<string, unknown>, cut_from_bytes: bytes };
  // Many short texts are as large as a long one.
  return sizeOf(whole) <= options.maxBytes ? whole : {
    cut_from_bytes: bytes,
    text: `${JSON.stringify(payload).slice(0, options.keepBytes)}…`
      .toWellFormed(),
  };
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function cutTexts(value: unknown, keep: number): unknown {
  if (typeof value === "string") {
    return value.length <= keep
      ? value
      : `${value.slice(0, keep)}… (cut: it had ${value.length} characters)`
        .toWellFormed();
  }
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, keep));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cutTexts(one, keep)]),
  );
}
