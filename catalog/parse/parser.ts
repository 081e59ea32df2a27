/**
 * JSON documents of a catalog, turned into roots and other entries.
 *
 * Never throws, whatever the document holds: a damaged entry is left out and
 * reported, and every other entry is kept.
 *
 * @module
 */

import { parseCollections } from "./declarations.ts";
import { type Duplicates, findDuplicates } from "./duplicates.ts";
import { FieldReader, present } from "./fields.ts";
import { type IgnoredList, type Place, within } from "./ignored.ts";
import { describeValue, isJsonObject, type JsonObject } from "./json.ts";
import { resolveNamespace } from "./namespace.ts";
import type {
  AgentRoot,
  Artifact,
  ArtifactKind,
  RootPermission,
} from "../types.ts";

const PERMISSIONS: readonly RootPermission[] = ["all", "ask", "read"];

/** Result of reading text as a JSON object. */
export type ParsedDocument =
  | {
    readonly ok: true;
    readonly document: JsonObject;
    /** Names that stand twice in one object. */
    readonly duplicates: Duplicates;
  }
  | { readonly ok: false; readonly reason: string };

/** Reads text as one JSON object; says in plain words why it is not one. */
export function parseDocument(text: string): ParsedDocument {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { ok: false, reason: describeSyntax(text, error) };
  }
  if (isJsonObject(value)) {
    return { ok: true, document: value, duplicates: findDuplicates(json) };
  }
  return {
    ok: false,
    reason: `Expected a JSON object, got ${describeValue(value)}`,
  };
}

/** Reads the entries of a roots file. */
export function parseRoots(
  document: JsonObject,
  source: string,
  ignored: IgnoredList,
): Map<string, AgentRoot> {
  const roots = new Map<string, AgentRoot>();
  for (const [name, entry] of Object.entries(document)) {
    const place: Place = { source, path: [name] };
    if (isEntry(name, entry, { what: "Root", place, ignored })) {
      roots.set(name, parseRoot(name, entry, { place, ignored }));
    }
  }
  return roots;
}

/** Reads the entries of an index file of another kind. */
export function parseArtifacts(
  document: JsonObject,
  options: { kind: ArtifactKind; source: string; ignored: IgnoredList },
): Map<string, Artifact> {
  const { kind, source, ignored } = options;
  // Goals come wrapped in one member of that name, other kinds bare.
  const wrapped = kind === "goals" ? document["goals"] : undefined;
  const isWrapped = isJsonObject(wrapped);
  const artifacts = new Map<string, Artifact>();
  const path = isWrapped ? ["goals"] : [];
  for (const [name, entry] of Object.entries(isWrapped ? wrapped : document)) {
    const place: Place = { source, path: [...path, name] };
    if (!isEntry(name, entry, { what: "Entry", place, ignored })) continue;
    const fields = new FieldReader(entry, place, ignored);
    artifacts.set(
      name,
      present({
        name,
        source,
        title: fields.text("title") ?? fields.text("name"),
        description: fields.text("description"),
        defaultInRoots: fields.names("default_in_roots"),
        entry,
      }),
    );
  }
  return artifacts;
}

function isEntry(
  name: string,
  entry: unknown,
  options: { what: string; place: Place; ignored: IgnoredList },
): entry is JsonObject {
  if (isJsonObject(entry)) return true;
  // Text beside the entries that names the file's own schema or is a remark.
  if (name.startsWith("$") && typeof entry === "string") return false;
  options.ignored.add(
    options.place,
    `${options.what} skipped: expected an object, got ${describeValue(entry)}`,
  );
  return false;
}

function parseRoot(
  name: string,
  entry: JsonObject,
  options: { place: Place; ignored: IgnoredList },
): AgentRoot {
  const { place, ignored } = options;
  const fields = new FieldReader(entry, place, ignored);
  return present({
    name,
    source: place.source,
    ...resolveNamespace(entry["data_namespace"], name),
    collections: parseCollections(
      entry["data_collections"],
      within(place, "data_collections"),
      ignored,
    ),
    memoryNode: fields.text("memory_node"),
    displayName: fields.text("display_name") ?? fields.text("title"),
    description: fields.text("description"),
    url: fields.text("url"),
    defaultBranch: fields.text("default_branch"),
    subdirectory: fields.text("subdirectory"),
    userInvocable: fields.flag("user_invocable"),
    defaultRuntime: fields.text("default_runtime"),
    command: fields.command("command"),
    permission: fields.oneOf("permission", PERMISSIONS),
    maxTurnMinutes: fields.positive("max_turn_minutes"),
    defaultModel: fields.text("default_model"),
    defaultGoal: fields.text("default_goal"),
    defaultMcpServers: fields.names("default_mcp_servers"),
    defaultSkills: fields.names("default_skills"),
    defaultHooks: fields.names("default_hooks"),
    defaultPlugins: fields.names("default_plugins"),
    subagentRoots: fields.names("default_subagent_roots"),
    defaultInRoots: fields.names("default_in_roots"),
    entry,
  });
}

/** The engine quotes the text around the fault; a page of HTML is named as one. */
function describeSyntax(text: string, error: unknown): string {
  const start = text.slice(0, 200).trimStart();
  if (start === "") return "The document is empty";
  if (start.startsWith("<")) return "Expected JSON, got HTML or XML";
  const message = error instanceof Error ? error.message : "";
  const at = /position (\d+)/.exec(message)?.[1];
  if (at === undefined) return "Not valid JSON";
  const line = text.slice(0, Number(at)).split("\n").length;
  return `Not valid JSON: error in line ${line}`;
}
