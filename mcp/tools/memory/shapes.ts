/**
 * Memory as the tools show it: items, what was read, and cuts that can be
 * seen.
 *
 * @module
 */
import { KINDS, ROOT_NODE } from "../../../cortex/words.ts";
import type { Hit, ItemMeta, ReadReport } from "../../../cortex/mod.ts";
import type { CallerMemory } from "./caller.ts";
import { REACHES, type View } from "./view.ts";
import { cutAt, cutField } from "../../render.ts";
import { CONTENT_OUTPUTS, contentShape } from "./item.ts";
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

/** Most nodes that a note names. */
const MAX_NAMED_NODES = 5;
/** Most tags of an item in a list. */
const MAX_SHOWN_TAGS = 10;
/** Most nodes that are named as left out. */
const MAX_SHOWN_NODES = 10;
/** Most scopes of a receipt. */
const MAX_SHOWN_SCOPES = 20;

/** An item; what is not set is left out. */
export const ITEM = objectOf({
  id: TEXT,
  kind: wordOf(KINDS),
  node: TEXT,
  text: TEXT,
}, {
  score: { type: "number" },
  ...CONTENT_OUTPUTS,
  agent: TEXT,
  tags: listOf(TEXT),
  tags_total: COUNT,
  thread_id: TEXT,
  url: TEXT,
  repo: TEXT,
  commit: TEXT,
  folder: TEXT,
  file_path: TEXT,
  workspace: TEXT,
  language: TEXT,
  source_kind: TEXT,
  source_id: TEXT,
  observed_at: TEXT,
  recorded_at: TEXT,
  incomplete: FLAG,
  below: TEXT,
  replaces: listOf(TEXT),
  replaced_by: TEXT,
});

/** What was looked at. */
export const READ = objectOf({
  node: TEXT,
  kinds: listOf(wordOf(KINDS)),
  scopes: listOf(TEXT),
  listing_cut: FLAG,
}, {
  reach: wordOf(REACHES),
  scopes_total: COUNT,
  scopes_shown: COUNT,
  left_out: listOf(TEXT),
  note: TEXT,
});

/** Says that a cut text can be had whole. */
export const CUT_NOTE =
  "Texts that end in … [n of m characters] are cut: get_memory returns them whole";

/**
 * Nodes of this person's memory that a reading did not look at, in words; for
 * where it found nothing, and perhaps looked in the wrong place.
 */
export async function unreadNote(
  { engine, layouts }: CallerMemory,
  { reach, filters }: View,
): Promise<string | undefined> {
  if (reach === "below") return undefined;
  const { nodes } = await engine.nodes(ROOT_NODE);
  const unread = nodes.filter(({ node }) =>
    !filters.some((filter) =>
      filter.reach !== undefined && layouts.admits(filter.reach, node)
    )
  );
  if (unread.length === 0) return undefined;
  const named = unread.slice(0, MAX_NAMED_NODES)
    .map(({ node }) => cutField(node)).join(", ");
  const more = unread.length > MAX_NAMED_NODES ? " and others" : "";
  return `Nothing was found here. Memory at ${named}${more} was not looked at: name a node, or pass node root with reach below`;
}

/** An item as far as its text was read; what is not set is left out. */
export function itemShape(
  {
    id,
    item,
    text,
    characters,
    events,
    score,
    isWhole,
    below,
    recordedAt,
    replacedBy,
  }: Hit,
): ValueOf<typeof ITEM> {
  return {
    id,
    kind: item.kind,
    node: item.meta.node,
    text: cutAt(text, characters),
    score: score === 0 ? undefined : Number(score.toFixed(3)),
    ...contentShape(item, events),
    ...metaShape(item.meta),
    recorded_at: recordedAt,
    incomplete: isWhole ? undefined : true,
    below: below === "retired" ? "retired root" : undefined,
    replaces: item.meta.replaces,
    replaced_by: replacedBy,
  };
}

/** Whether a text was read as far as a limit, and has more. */
export function isTextCut({ characters }: Hit, textLimit: number): boolean {
  return characters > textLimit;
}

/** What was read, for the receipt of every result. */
export function readShape(
  view: Pick<View, "node" | "kinds"> & { readonly reach?: View["reach"] },
  reports: readonly ReadReport[],
): ValueOf<typeof READ> {
  const scopes = [...new Set(reports.flatMap((one) => one.scopes))];
  const isCut = reports.some((one) => one.isCut);
  const leftOut = [...new Set(reports.flatMap((one) => one.sandboxes ?? []))];
  const notes = [
    ...(isCut
      ? [
        "CortexDB's list of scopes is cut, so some memory was not looked at; name a node further down",
      ]
      : []),
    ...(leftOut.length > 0
      ? [
        `What lies in ${leftOut.length} workflow ${
          leftOut.length === 1 ? "node" : "nodes"
        } below was not looked at: a service node is read by its own name, as node`,
      ]
      : []),
  ];
  return {
    node: view.node,
    ...(view.reach === undefined ? {} : { reach: view.reach }),
    kinds: view.kinds,
    ...scopesShape(scopes),
    listing_cut: isCut,
    ...(leftOut.length === 0
      ? {}
      : { left_out: leftOut.slice(0, MAX_SHOWN_NODES) }),
    ...(notes.length === 0 ? {} : { note: notes.join(". ") }),
  };
}

/** Scopes, the first of them, and how many there are. */
function scopesShape(
  scopes: readonly string[],
): Pick<ValueOf<typeof READ>, "scopes" | "scopes_total" | "scopes_shown"> {
  return {
    scopes: scopes.slice(0, MAX_SHOWN_SCOPES),
    ...(scopes.length > MAX_SHOWN_SCOPES
      ? { scopes_total: scopes.length, scopes_shown: MAX_SHOWN_SCOPES }
      : {}),
  };
}

function metaShape(meta: ItemMeta): Partial<ValueOf<typeof ITEM>> {
  const { tags = [], source } = meta;
  const isTagsCut = tags.length > MAX_SHOWN_TAGS;
  return {
    agent: cutField(meta.agentId),
    tags: tags.length === 0
      ? undefined
      : tags.slice(0, MAX_SHOWN_TAGS).map((tag) => cutField(tag)),
    tags_total: isTagsCut ? tags.length : undefined,
    thread_id: cutField(meta.threadId),
    url: cutField(meta.url),
    repo: cutField(meta.repo),
    commit: cutField(meta.commit),
    folder: cutField(meta.folder),
    file_path: cutField(meta.filePath),
    workspace: cutField(meta.workspace),
    language: cutField(meta.language),
    source_kind: source?.kind === "agent" ? undefined : source?.kind,
    source_id: cutField(source?.id),
    observed_at: meta.observedAt,
  };
}
