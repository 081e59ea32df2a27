/**
 * ECMAScript patterns rewritten for an engine of the RE2 family.
 *
 * The pattern must be valid under the "u" flag. Where the two languages differ
 * in meaning (`.`, `\s`, `[]`, `\k`, code point escapes) the rewriting keeps the
 * ECMAScript meaning or refuses; it never lets a pattern mean something else.
 *
 * @module
 */

const ANY = String.raw`\x00-\x{10FFFF}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;
const SPACES = String.raw`\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}` +
  String.raw`\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`;
const NOT_SPACES = String.raw`\x00-\x08\x0E-\x1F!-\x{9F}\x{A1}-\x{167F}` +
  String.raw`\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}` +
  String.raw`\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}` +
  String.raw`\x{FF00}-\x{10FFFF}`;

// Longer than any escape: "\\p{General_Category=Connector_Punctuation}".
const MAX_ESCAPE_CHARS = 80;

const LOOKAROUND_REGEXP = /^\(\?(?:[=!]|<[=!])/;
const GROUP_NAME_REGEXP = /^\(\?<[^>]+>/;
const CODE_POINT_REGEXP =
  /^\\(?:u\{([0-9a-f]+)\}|u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|x([0-9a-f]{2}))/i;
const PROPERTY_REGEXP = /^\\([pP])\{(?:(\w+)=)?(\w+)\}/;

/** Long names of general categories; the engine knows the short ones. */
const CATEGORIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Letter: "L",
    Cased_Letter: "LC",
    Uppercase_Letter: "Lu",
    Lowercase_Letter: "Ll",
    Titlecase_Letter: "Lt",
    Modifier_Letter: "Lm",
    Other_Letter: "Lo",
    Mark: "M",
    Nonspacing_Mark: "Mn",
    Spacing_Mark: "Mc",
    Enclosing_Mark: "Me",
    Number: "N",
    Decimal_Number: "Nd",
    Letter_Number: "Nl",
    Other_Number: "No",
    Punctuation: "P",
    Connector_Punctuation: "Pc",
    Dash_Punctuation: "Pd",
    Open_Punctuation: "Ps",
    Close_Punctuation: "Pe",
    Initial_Punctuation: "Pi",
    Final_Punctuation: "Pf",
    Other_Punctuation: "Po",
    Symbol: "S",
    Math_Symbol: "Sm",
    Currency_Symbol: "Sc",
    Modifier_Symbol: "Sk",
    Other_Symbol: "So",
    Separator: "Z",
    Space_Separator: "Zs",
    Line_Separator: "Zl",
    Paragraph_Separator: "Zp",
    Control: "Cc",
    Format: "Cf",
  }),
);

/** A rewritten pattern, or why there is none. */
export type Translation =
  | { readonly ok: true; readonly pattern: string }
  | { readonly ok: false; readonly reason: string };

/** Rewrites a pattern; total. */
export function translatePattern(pattern: string): Translation {
  try {
    new RegExp(pattern, "u");
  } catch {
    const reason = "it is not a valid ECMAScript pattern with the u flag";
    return { ok: false, reason };
  }
  let rest = pattern;
  let output = "";
  while (rest !== "") {
    const step = rest.startsWith("[") ? readClass(rest) : readToken(rest);
    if (typeof step === "string") return { ok: false, reason: step };
    output += step.output;
    rest = rest.slice(step.length);
  }
  return { ok: true, pattern: output };
}

/** What a token becomes and how long it was; text alone is a refusal. */
type Step = { readonly output: string; readonly length: number } | string;

function readToken(rest: string): Step {
  if (rest.startsWith("\\")) return readEscape(rest, false);
  if (rest.startsWith(".")) return { output: `[^${LINE_ENDS}]`, length: 1 };
  if (!rest.startsWith("(")) return readCharacter(rest);
  if (rest.startsWith("(?:")) return { output: "(?:", length: 3 };
  if (!rest.startsWith("(?")) return { output: "(?:", length: 1 };
  if (LOOKAROUND_REGEXP.test(rest)) {
    return "lookahead and lookbehind are not supported";
  }
  const name = GROUP_NAME_REGEXP.exec(rest)?.[0];
  if (name !== undefined) return { output: "(?:", length: name.length };
  return "flags inside a pattern are not supported";
}

function readClass(rest: string): Step {
  if (rest.startsWith("[]")) return { output: `[^${ANY}]`, length: 2 };
  if (rest.startsWith("[^]")) return { output: `[${ANY}]`, length: 3 };
  let at = rest.startsWith("[^") ? 2 : 1;
  let output = rest.slice(0, at);
  for (;;) {
    const member = rest.slice(at, at + MAX_ESCAPE_CHARS);
    if (member.startsWith("]")) return { output: output + "]", length: at + 1 };
    const step = member.startsWith("\\")
      ? readEscape(member, true)
      : readCharacter(member);
    if (typeof step === "string") return step;
    output += step.output === "[" ? "\\[" : step.output;
    at += step.length;
  }
}

function readEscape(rest: string, isInClass: boolean): Step {
  const codePoint = readCodePoint(rest);
  if (codePoint !== undefined) return codePoint;
  const letter = rest.charAt(1);
  if (letter === "p" || letter === "P") return readProperty(rest);
  if (letter === "s" || letter === "S") {
    const negated = isInClass ? NOT_SPACES : `[^${SPACES}]`;
    const plain = isInClass ? SPACES : `[${SPACES}]`;
    return { output: letter === "s" ? plain : negated, length: 2 };
  }
  if (letter === "k" || /[1-9]/.test(letter)) {
    return "backreferences are not supported";
  }
  if (letter === "b" && isInClass) return { output: "\\x08", length: 2 };
  if (letter === "0") return { output: "\\x00", length: 2 };
  if (letter === "c") {
    return { output: toEscape(rest.charCodeAt(2) % 32), length: 3 };
  }
  return { output: rest.slice(0, 2), length: 2 };
}

function readCodePoint(rest: string): Step | undefined {
  const found = CODE_POINT_REGEXP.exec(rest);
  if (found === null) return undefined;
  const [all, braced, high, low, four, two] = found;
  const code = high !== undefined && low !== undefined
    ? 0x10000 + (parseInt(high, 16) - 0xd800) * 0x400 +
      (parseInt(low, 16) - 0xdc00)
    : parseInt(braced ?? four ?? two ?? "", 16);
  return { output: toEscape(code), length: all.length };
}

function readProperty(rest: string): Step {
  const found = PROPERTY_REGEXP.exec(rest);
  if (found === null) return "it uses a character property that is not known";
  const [all, sign, kind, value = ""] = found;
  if (kind === "Script_Extensions" || kind === "scx") {
    return "script extensions are not supported; use \\p{Script=…}";
  }
  const isScript = kind === "Script" || kind === "sc";
  const name = isScript ? value : CATEGORIES.get(value) ?? value;
  return { output: `\\${sign}{${name}}`, length: all.length };
}

/** One character as it is, surrogate pairs whole. */
function readCharacter(rest: string): Step {
  const output = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return { output, length: output.length };
}

function toEscape(codePoint: number): string {
  return `\\x{${codePoint.toString(16).toUpperCase()}}`;
}
