/**
 * Entries in YAML, where servers are a list and each says its name.
 *
 * What is read has them by name, as the other formats do. A new one is put
 * behind the others as text; one that is there is changed by the library, which
 * keeps comments.
 *
 * @module
 */
import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { isObject, type TextForm, type Values } from "./entry_text.ts";

/** What a file of the client has to say beside; a new one is given it. */
const HEAD = { name: "Local", version: "1.0.0", schema: "v1" };

/** The servers that a YAML file lists under a name. */
export function yamlForm(servers: string): TextForm {
  return {
    servers,
    parse: (text) =>
      text.trim() === "" ? HEAD : byName(read(text).toJS() ?? {}, servers),
    *drafts({ before, name, entry, outdated, eol }) {
      yield before; // It may say so already.
      const document = read(before);
      if (!document.has(servers)) {
        const head = before.trim() === ""
          ? Object.entries(HEAD).map(([member, value]) => `${member}: ${value}`)
          : [before.trimEnd()];
        yield [...head, `${servers}:`, ...itemLines(name, entry), ""].join(eol);
        return;
      }
      const list = document.get(servers);
      if (!isSeq(list)) document.set(servers, [{ name, ...entry }]);
      else {
        const old = list.items.find((item) =>
          isMap(item) && item.get("name") === name
        );
        if (isMap(old)) {
          const gone = outdated.filter((one) => !Object.hasOwn(entry, one));
          for (const member of gone) old.delete(member);
          for (const [member, value] of Object.entries(entry)) {
            old.set(member, value);
          }
        } else {
          const at = list.range?.[1] ?? before.length;
          const indent = indentBefore(before, list.range);
          yield [
            before.slice(0, at).trimEnd(),
            ...itemLines(name, entry, indent),
            before.slice(at),
          ].join(eol);
          list.add(document.createNode({ name, ...entry }));
        }
      }
      yield document.toString({ lineWidth: 0 });
    },
  };
}

/** @throws {SyntaxError} It is no YAML, or nothing that has members. */
function read(text: string): Document {
  const document: Document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const [line = ""] = error.message.split("\n");
    throw new SyntaxError(`It is not YAML (${line})`, { cause: error });
  }
  if (document.contents !== null && !isMap(document.contents)) {
    throw new SyntaxError("It does not hold members by name");
  }
  return document;
}

/** The same with the listed servers by name. @throws {SyntaxError} */
function byName(said: Values, servers: string): Values {
  const { [servers]: list } = said;
  if (list === undefined || list === null) {
    return Object.fromEntries(
      Object.entries(said).filter(([member]) => member !== servers),
    );
  }
  if (!Array.isArray(list)) {
    throw new SyntaxError(`Its "${servers}" is not a list of servers`);
  }
  const entries = new Map<string, Values>();
  for (const item of list) {
    const { name, ...entry } = isObject(item) ? item : {};
    if (typeof name !== "string" || entries.has(name)) {
      throw new SyntaxError(
        `Its "${servers}" has an entry without a name of its own`,
      );
    }
    entries.set(name, entry);
  }
  return { ...said, [servers]: Object.fromEntries(entries) };
}

/** An item of the list; JSON is YAML, so a member stands in one line. */
function itemLines(name: string, entry: Values, indent = "  "): string[] {
  return Object.entries({ name, ...entry }).map(([member, value], index) =>
    `${indent}${index === 0 ? "- " : "  "}${member}: ${JSON.stringify(value)}`
  );
}

/** How far the first item of a list stands to the right. */
function indentBefore(
  text: string,
  range: readonly number[] | null | undefined,
): string {
  const before = text.slice(0, range?.[0] ?? 0);
  return /[ \t]*$/.exec(before)?.[0] ?? "";
}
