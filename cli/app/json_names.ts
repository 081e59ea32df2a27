/**
 * Reads JSON right where this runtime does not.
 *
 * V8's `JSON.parse` guesses the next name of an object from objects that exist
 * already, and compares a name that is spelled with escapes by its raw text.
 * Once there is an object whose name holds a backslash, `{"a":1,"\\":2}`, the
 * same process reads `{"a":1,"\u00e9":2}` as if it were that one: what one
 * caller sends changes what another means. So no name with an escape ever
 * reaches it: characters are spelled out, and those that cannot be are read
 * under a stand-in and renamed.
 *
 * @module
 */

/** First and last character that stands for nothing. */
const PRIVATE_USE = [0xe000, 0xf8ff] as const;
/** Moves a control, a quote or a backslash to a letter. */
const SHIFT = 0x100;
const UNSPELLABLE_REGEXP = /[\p{Cc}"\\]/gu;

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

/** A name with escapes: where its string begins and ends. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** Puts the safe reading in the place of `JSON.parse`, for the whole process. */
export function guardJsonNames(): void {
  const parse = JSON.parse;
  JSON.parse = (text: unknown, reviver?: Reviver) => {
    const source = String(text);
    const places = source.includes("\\") ? escapedNames(source) : [];
    return places.length === 0
      ? parse(source, reviver)
      : parseSpelled(parse, source, places, reviver);
  };
}

/** Names that are spelled with escapes, in the order of the text. */
function escapedNames(text: string): readonly Place[] {
  const found: Place[] = [];
  let escape = text.indexOf("\\");
  for (let from = text.indexOf('"'); from >= 0;) {
    let at = from + 1;
    let to = text.indexOf('"', at);
    let hasEscape = false;
    while (escape >= 0 && escape < to) {
      hasEscape = true;
      at = escape + 2; // What is escaped ends no string.
      if (to < at) to = text.indexOf('"', at);
      escape = text.indexOf("\\", at);
    }
    if (to < 0) break; // No JSON: whoever parses it says so.
    if (hasEscape && isName(text, to + 1)) found.push({ from, to: to + 1 });
    from = text.indexOf('"', to + 1);
  }
  return found;
}

/** Whether a string that ends before `at` is followed by a colon. */
function isName(text: string, at: number): boolean {
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  return text.charAt(at) === ":";
}

function parseSpelled(
  parse: typeof JSON.parse,
  text: string,
  places: readonly Place[],
  reviver: Reviver | undefined,
): unknown {
  const standIn = unusedIn(text);
  const hide = (character: string) =>
    standIn + String.fromCharCode(character.charCodeAt(0) + SHIFT);
  const rename = (name: string) =>
    name.replace(
      new RegExp(`${standIn}(.)`, "g"),
      (_, letter: string) => String.fromCharCode(letter.charCodeAt(0) - SHIFT),
    );
  let spelled = "";
  let from = 0;
  for (const place of places) {
    const name: string = parse(text.slice(place.from, place.to));
    spelled += text.slice(from, place.from) +
      `"${name.replace(UNSPELLABLE_REGEXP, hide)}"`;
    from = place.to;
  }
  spelled += text.slice(from);
  if (!spelled.includes(standIn)) return parse(spelled, reviver);
  return parse(spelled, function (name, value) {
    const isRenamed = typeof value === "object" && value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).some((one) => one.includes(standIn));
    const own = isRenamed ? withNames(value, rename) : value;
    return reviver === undefined ? own : reviver.call(this, rename(name), own);
  });
}

function withNames(
  value: object,
  rename: (name: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [rename(name), item]),
  );
}

/** A character that the text has neither as it is nor as an escape. */
function unusedIn(text: string): string {
  const lower = text.toLowerCase();
  for (let code = PRIVATE_USE[0]; code <= PRIVATE_USE[1]; code++) {
    const character = String.fromCharCode(code);
    if (text.includes(character)) continue;
    if (!lower.includes(`\\u${code.toString(16)}`)) return character;
  }
  throw new SyntaxError("The text uses every character of private use");
}
