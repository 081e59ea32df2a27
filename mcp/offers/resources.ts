/**
 * Resources: what a root keeps, under addresses that a person can attach to a
 * conversation. Each is a view of a reading tool, and is there where the tool
 * is. None is looked up to be listed, so listing opens no database.
 *
 * @module
 */
import type { ToolContext } from "../services.ts";
import { callTool, type Tool } from "../tools/tool.ts";

const COLLECTIONS = "list_root_collections";
const RECORD = "get_root_record";
const SEARCH = "search_root_records";
/** Names that completion answers with at most; the protocol allows no more. */
const MAX_COMPLETIONS = 100;
const ADDRESS_REGEXP =
  /^rootcellar:\/\/collections(?:\/([^/?#]+)(?:\/records\/([^/?#]+))?)?$/;

/** A resource, or a template of many. */
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "application/json";
  /** The tool that reads it. */
  readonly tool: string;
}

const RESOURCES: readonly (Listed & { readonly uri: string })[] = [{
  uri: "rootcellar://collections",
  name: "collections",
  title: "Collections",
  description:
    "The collections of this session's agent root: schema, retention and use of each",
  mimeType: "application/json",
  tool: COLLECTIONS,
}];

const TEMPLATES: readonly (Listed & { readonly uriTemplate: string })[] = [{
  uriTemplate: "rootcellar://collections/{collection}",
  name: "collection",
  title: "Collection",
  description: "One collection: its schema, retention and use",
  mimeType: "application/json",
  tool: COLLECTIONS,
}, {
  uriTemplate: "rootcellar://collections/{collection}/records/{key}",
  name: "record",
  title: "Record",
  description: "One record of a collection, by its key",
  mimeType: "application/json",
  tool: RECORD,
}];

/** What a read resource is answered with, or why it is not. */
export type ResourceReading =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The resources of a connection that sees these tools. */
export function resourcesOf(tools: readonly Tool[]): readonly object[] {
  return RESOURCES.filter(isSeenIn(tools)).map(withoutTool);
}

/** The templates of a connection that sees these tools. */
export function templatesOf(tools: readonly Tool[]): readonly object[] {
  return TEMPLATES.filter(isSeenIn(tools)).map(withoutTool);
}

/** Reads a resource; undefined where there is none under that address. */
export async function readResource(
  uri: string,
  tools: readonly Tool[],
  context: ToolContext,
): Promise<ResourceReading | undefined> {
  const parts = partsOf(uri);
  if (parts === undefined) return undefined;
  const { collection, key } = parts;
  const tool = tools.find(({ name }) =>
    name === (key === undefined ? COLLECTIONS : RECORD)
  );
  if (tool === undefined) return undefined;
  const args = key === undefined ? {} : { collection, key };
  const { content: [{ text }], structuredContent = {}, isError } =
    await callTool(tool, context, args);
  if (isError === true) return { ok: false, reason: text };
  if (collection === undefined || key !== undefined) return { ok: true, text };
  const found = namedIn(structuredContent, collection);
  return found === undefined
    ? { ok: false, reason: `There is no collection "${collection}"` }
    : { ok: true, text: JSON.stringify(found) };
}

/**
 * What a part of a template may be: names of collections, or keys of the
 * collection that is already filled in, which begin with `value`. Nothing where
 * they cannot be read.
 */
export async function completeResource(
  { template, argument, value, filled }: {
    readonly template: string;
    readonly argument: string;
    readonly value: string;
    readonly filled: Readonly<Record<string, string>>;
  },
  tools: readonly Tool[],
  context: ToolContext,
): Promise<readonly string[]> {
  const known = TEMPLATES.find(({ uriTemplate }) => uriTemplate === template);
  if (known === undefined || !known.uriTemplate.includes(`{${argument}}`)) {
    return [];
  }
  const isKey = argument === "key";
  const tool = tools.find(({ name }) =>
    name === (isKey ? SEARCH : COLLECTIONS)
  );
  if (tool === undefined) return [];
  const args = isKey
    ? { collection: filled.collection ?? "", key_prefix: value, limit: 20 }
    : {};
  const { structuredContent = {} } = await callTool(tool, context, args);
  const list = structuredContent[isKey ? "records" : "collections"];
  const names = (Array.isArray(list) ? list : [])
    .map((one) => one[isKey ? "key" : "name"])
    .filter((name) => typeof name === "string" && name.startsWith(value));
  return names.slice(0, MAX_COMPLETIONS);
}

function partsOf(
  uri: string,
): { readonly collection?: string; readonly key?: string } | undefined {
  const match = ADDRESS_REGEXP.exec(uri);
  if (match === null) return undefined;
  try {
    const [, collection, key] = match;
    return {
      ...(collection === undefined
        ? {}
        : { collection: decodeURIComponent(collection) }),
      ...(key === undefined ? {} : { key: decodeURIComponent(key) }),
    };
  } catch {
    return undefined; // A % that begins no character.
  }
}

function namedIn(
  { collections }: Readonly<Record<string, unknown>>,
  name: string,
): unknown {
  return (Array.isArray(collections) ? collections : [])
    .find((one) => one.name === name);
}

function isSeenIn(tools: readonly Tool[]): (listed: Listed) => boolean {
  return ({ tool }) => tools.some(({ name }) => name === tool);
}

function withoutTool({ tool: _, ...listed }: Listed): object {
  return listed;
}
