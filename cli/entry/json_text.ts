/**
 * Entries in JSON, comments and trailing commas among it, as editors write it.
 *
 * @module
 */
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from "jsonc-parser";
import type { TextForm, Values } from "./entry_text.ts";

/** Members in one line: what is added stands there, too. */
const ONE_LINE_REGEXP = /^\s*\{[^\n]*[^\s{}][^\n]*\}\s*$/;

const JSONC = { allowTrailingComma: true } as const;

/** The servers that a JSON file holds under a name. */
export function jsonForm(servers: string): TextForm {
  return { ...JSON_FORM, servers };
}

const JSON_FORM: Omit<TextForm, "servers"> = {
  parse(text) {
    if (text.trim() === "") return {};
    const value = toValue(treeOf(text));
    if (value instanceof Array || typeof value !== "object" || value === null) {
      throw new SyntaxError("It does not hold a JSON object");
    }
    return value as Values;
  },
  *drafts({ before, servers, name, entry, outdated, wanted, eol }) {
    let text = before.trim() === "" ? `{}${eol}` : before;
    const layout = ONE_LINE_REGEXP.test(text)
      ? {}
      : { formattingOptions: { ...indentOf(before), eol } };
    const put = (path: readonly string[], value: unknown) => {
      text = applyEdits(
        text,
        // New members come first: a comment behind the last one stays there.
        modify(text, [...path], value, {
          ...layout,
          ...(path.length > 2 ? { getInsertionIndex: () => 0 } : {}),
        }),
      );
    };
    const old = findNodeAtLocation(treeOf(text), [servers, name]);
    if (old === undefined) put([servers, name], entry);
    else if (isPlainLine(text.slice(old.offset, old.offset + old.length))) {
      const { [name]: all } = wanted[servers] as Values;
      put([servers, name], all);
    } else {
      for (const member of outdated) {
        if (Object.hasOwn(entry, member)) continue;
        const path = [servers, name, member];
        if (findNodeAtLocation(treeOf(text), path)) put(path, undefined);
      }
      for (const [member, value] of Object.entries(entry).reverse()) {
        put([servers, name, member], value);
      }
    }
    yield text;
  },
};

/** Whether there is no layout and no comment that could be kept. */
function isPlainLine(text: string): boolean {
  return !text.includes("\n") && stripComments(text) === text;
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, JSONC);
  const [first] = errors;
  if (tree !== undefined && first === undefined) return tree;
  const before = text.slice(0, first?.offset ?? 0);
  const what = first === undefined
    ? "nothing"
    : printParseErrorCode(first.error);
  throw new SyntaxError(
    `It is not JSON (line ${before.split("\n").length}: ${what})`,
  );
}

/** A name that is there twice hides what it said first, so none may be. */
function toValue(node: Node): unknown {
  switch (node.type) {
    case "object": {
      const members = (node.children ?? []).map(({ children = [] }) => {
        const [name, value] = children;
        return [String(name?.value), value && toValue(value)] as const;
      });
      const value = Object.fromEntries(members);
      if (Object.keys(value).length === members.length) return value;
      throw new SyntaxError("A name stands twice in one of its objects");
    }
    case "array":
      return (node.children ?? []).map(toValue);
    default:
      return node.value;
  }
}

/** How the file indents: as its first indented member does. */
function indentOf(
  text: string,
): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  return indent.startsWith("\t")
    ? { insertSpaces: false, tabSize: 1 }
    : { insertSpaces: true, tabSize: indent.length };
}
