/**
 * Entries in TOML. The library says where things stand; what is ours is
 * exchanged there, and the rest of the text is not touched.
 *
 * @module
 */
import { parse, parseDocument, patch } from "@decimalturn/toml-patch";
import { tomlMembers } from "../../mcp/mod.ts";
import type { Change, TextForm } from "./entry_text.ts";

/** TOML 1.0, which clients read, has none in inline tables. */
const FORMAT = { trailingComma: false } as const;

/** The servers that a TOML file holds under a name. */
export function tomlForm(servers: string): TextForm {
  return { ...TOML_FORM, servers };
}

const TOML_FORM: Omit<TextForm, "servers"> = {
  parse(text) {
    try {
      return parse(text);
    } catch (error) {
      const [line = ""] = String(error instanceof Error ? error.message : error)
        .split("\n");
      throw new SyntaxError(`It is not TOML (${line})`, { cause: error });
    }
  },
  *drafts(change) {
    const { before, servers, name, entry, wanted, eol } = change;
    const members = tomlMembers(entry);
    const { edits, isInline, place } = survey(change);
    const rest = edited(before, edits);
    if (isInline) yield rest;
    if (place !== undefined) {
      const lines = members.map((member) => `${place.prefix}${member}${eol}`);
      const isLast = place.at === before.length && !before.endsWith("\n");
      const text = (isLast ? eol : "") + lines.join("");
      yield edited(before, [...edits, { from: place.at, to: place.at, text }]);
    }
    const gap = rest.trim() === "" ? "" : `${rest.trimEnd()}${eol}${eol}`;
    yield gap + [`[${servers}.${name}]`, ...members, ""].join(eol);
    // Part of a larger inline table, or a way that nobody thought of.
    const draft = patch(before, wanted, FORMAT);
    if (keepsComments(before, draft)) yield draft;
  },
};

/** A part of the text, and what comes in its place. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** What is there of our entry. */
interface Survey {
  /** Take what is outdated away; of an inline table make the new one. */
  readonly edits: readonly Edit[];
  readonly isInline: boolean;
  /** Where lines of our members can stand, and what goes before each. */
  readonly place?: { readonly at: number; readonly prefix: string };
}

function survey(
  { before, servers, name, entry, outdated }: Change,
): Survey {
  const starts = lineStarts(before);
  const at = ({ line, column }: Position) => (starts[line - 1] ?? 0) + column;
  const lineAt = (line: number) => starts[line - 1] ?? before.length;
  const edits: Edit[] = [];
  const places: { at: number; prefix: string }[] = [];
  let isInline = false;
  const isOurs = (path: readonly string[]) =>
    path[0] === servers && path[1] === name;
  const isOutdated = (path: readonly string[]) =>
    isOurs(path) && path[2] !== undefined && outdated.includes(path[2]);
  const drop = ({ start, end }: Span) =>
    edits.push({
      from: lineAt(start.line),
      to: lineAt(end.line + 1),
      text: "",
    });

  const lookAt = (item: Member, table: readonly string[]) => {
    const path = [...table, ...item.key.value];
    if (!isOurs(path)) return;
    if (isOutdated(path)) drop(item.loc);
    if (path.length > 2 && table.length < 2) {
      const prefix = path.slice(table.length, 2).map((part) => `${part}.`);
      places.push({ at: lineAt(item.loc.start.line), prefix: prefix.join("") });
    }
    const { value } = item;
    if (path.length > 2 || value.type !== "InlineTable") return;
    const kept = (value.items ?? []).map((one) => one.item)
      .filter((one) => !isOutdated([...path, ...one.key.value]))
      .map(({ loc }) => before.slice(at(loc.start), at(loc.end)));
    isInline = true;
    edits.push({
      from: at(value.loc.start),
      to: at(value.loc.end),
      text: `{ ${[...tomlMembers(entry), ...kept].join(", ")} }`,
    });
  };

  for (const block of parseDocument(before).cst) {
    if (block.type === "KeyValue") lookAt(block as Member, []);
    if (block.type !== "Table") continue;
    const path = block.key.item.value;
    if (isOutdated(path)) drop(block.key.loc);
    else if (isOurs(path) && path.length === 2) {
      places.unshift({ at: lineAt(block.key.loc.end.line + 1), prefix: "" });
    }
    for (const item of block.items) {
      if (item.type === "KeyValue") lookAt(item as Member, path);
    }
  }
  const [place] = places;
  return { edits, isInline, ...(place === undefined ? {} : { place }) };
}

/** The text after edits, none of which overlap. */
function edited(text: string, edits: readonly Edit[]): string {
  // What is put in stands before what is taken away at the same place.
  const ordered = edits.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let at = 0;
  let result = "";
  for (const { from, to, text: put } of ordered) {
    result += text.slice(at, from) + put;
    at = to;
  }
  return result + text.slice(at);
}

function keepsComments(before: string, after: string): boolean {
  const left = commentsOf(after);
  return commentsOf(before).every((comment) => {
    const at = left.indexOf(comment);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function commentsOf(text: string): string[] {
  return parseDocument(text).cst
    .flatMap((block) => "items" in block ? [block, ...block.items] : [block])
    .flatMap((one) => one.type === "Comment" ? [one.raw] : []);
}

function lineStarts(text: string): readonly number[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [0, ...ends];
}

/** A line from 1, a column from 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

interface Span {
  readonly start: Position;
  readonly end: Position;
}

/** A member of the library's tree, as far as it is looked at. */
interface Member {
  readonly loc: Span;
  readonly key: { readonly value: readonly string[] };
  readonly value: {
    readonly type: string;
    readonly loc: Span;
    readonly items?: readonly { readonly item: Member }[];
  };
}
