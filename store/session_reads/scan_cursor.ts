/**
 * Where a scan stopped, as text. Anyone can write one: what no scan can have
 * given is none.
 *
 * @module
 */

/** Where a scan stands. */
export interface ScanPlace {
  /** Time and number of the last session that was looked at to the end. */
  readonly after?: string | undefined;
  /** Within the transcript of the next one: the last event that was read. */
  readonly within?: {
    /** Time and number of the session. */
    readonly place: string;
    /** Turn and number of the event. */
    readonly event: string;
  } | undefined;
}

const PLACE_REGEXP =
  /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z\/[1-9]\d{0,17}$/;
const EVENT_REGEXP = /^[1-9]\d{0,17}\/[1-9]\d{0,17}$/;
const MAX_CHARACTERS = 500;

/** The place as text; of the very beginning, too. */
export function encodeScanCursor(place: ScanPlace | undefined): string {
  const { after = "", within } = place ?? {};
  const text = [after, within?.place ?? "", within?.event ?? ""].join(" ");
  return new TextEncoder().encode(text)
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The place, or undefined where the text is none. */
export function readScanCursor(
  cursor: string | undefined,
): ScanPlace | undefined {
  if (cursor === undefined || cursor.length > MAX_CHARACTERS) return undefined;
  let text: string;
  try {
    text = new TextDecoder().decode(
      Uint8Array.fromBase64(cursor, { alphabet: "base64url" }),
    );
  } catch {
    return undefined;
  }
  const parts = text.split(" ");
  const [after = "", place = "", event = ""] = parts;
  if (parts.length !== 3) return undefined;
  if (after !== "" && !isPlace(after)) return undefined;
  if (place === "" && event === "") {
    return after === "" ? {} : { after };
  }
  if (!isPlace(place) || !EVENT_REGEXP.test(event)) return undefined;
  return { ...(after === "" ? {} : { after }), within: { place, event } };
}

/** Whether time and number can be: the 30th of February is none. */
function isPlace(text: string): boolean {
  if (!PLACE_REGEXP.test(text)) return false;
  const time = text.slice(0, 19);
  const ms = Date.parse(`${time}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === time;
}
