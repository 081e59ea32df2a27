/**
 * Entries in TOML.
 *
 * @module
 */
import { parse, parseDocument, patch } from "@decimalturn/toml-patch";
import { tomlMembers } from "../../mcp/mod.ts";
import type { Change, TextForm } from "./entry_text.ts";

/** `mcp_servers` of a TOML file. */
export const TOML_FORM: TextForm = {
  servers: "mcp_servers",
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
    const { lines, header } = withoutOutdated(change);
    const rest = lines.join("\n");
    if (header !== undefined) {
      const ours = members.map((member) => member + eol.slice(0, -1));
      yield lines.toSpliced(header + 1, 0, ...ours).join("\n");
    }
    const gap = rest.trim() === "" ? "" : `${rest.trimEnd()}${eol}${eol}`;
    yield gap + [`[${servers}.${name}]`, ...members, ""].join(eol);
    // It is written another way: the library finds out which.
    yield patch(rest, wanted);
    yield patch(before, wanted);
  },
};

/**
 * The lines without what goes of our entry, comments between tables left where
 * they are, and which of them is the header of our table.
 */
function withoutOutdated(
  { before, servers, name, outdated }: Change,
): { readonly lines: readonly string[]; readonly header?: number } {
  const gone = new Set<number>();
  let header: number | undefined;
  const isOutdated = ([first, second, member]: readonly string[]) =>
    first === servers && second === name && member !== undefined &&
    outdated.includes(member);
  const drop = ({ start, end }: Span) => {
    for (let line = start.line; line <= end.line; line++) gone.add(line - 1);
  };
  for (const block of parseDocument(before).cst) {
    if (block.type === "KeyValue" && isOutdated(block.key.value)) {
      drop(block.loc);
    }
    if (block.type !== "Table") continue;
    const path = block.key.item.value;
    if (path.length === 2 && path[0] === servers && path[1] === name) {
      header = block.loc.start.line - 1;
    }
    if (isOutdated(path)) drop(block.key.loc);
    for (const item of block.items) {
      const isMember = item.type === "KeyValue" &&
        isOutdated([...path, ...item.key.value]);
      if (isMember) drop(item.loc);
    }
  }
  const lines = before.split("\n");
  const above = lines.slice(0, header).filter((_, at) => !gone.has(at)).length;
  return {
    lines: lines.filter((_, at) => !gone.has(at)),
    ...(header === undefined ? {} : { header: above }),
  };
}

/** Lines from 1. */
interface Span {
  readonly start: { readonly line: number };
  readonly end: { readonly line: number };
}
