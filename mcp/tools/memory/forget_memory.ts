/**
 * `forget_memory`: forgets items, and looks again to prove it.
 *
 * @module
 */
import { KINDS, MAX_IDS, ROOT_NODE } from "../../../cortex/words.ts";
import type { Filter, ForgetReport, ItemId } from "../../../cortex/mod.ts";
import { ToolError } from "../../errors.ts";
import { type CallerMemory, openMemory } from "./caller.ts";
import { findItems } from "./find.ts";
import { reasonOf } from "./reason.ts";
import { ITEM, itemShape, READ, readShape } from "./shapes.ts";
import {
  AGENT_INPUT,
  ANY_AGENT,
  isNarrowed,
  type View,
  VIEW_INPUTS,
  type ViewArguments,
  viewOf,
} from "./view.ts";
import {
  COUNT,
  inputOf,
  listOf,
  objectOf,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const MAX_SHOWN_ITEMS = 20;
const MAX_ITEM_TEXT = 200;

const OUTPUT = objectOf({
  result: wordOf(["preview", "done", "incomplete"]),
  matched: COUNT,
  read: READ,
}, {
  matched_ids: listOf(TEXT),
  matched_ids_shown: COUNT,
  not_found: listOf(TEXT),
  items: listOf(ITEM),
  forgotten: COUNT,
  left: COUNT,
  left_ids: listOf(TEXT),
  left_ids_shown: COUNT,
  events_removed: COUNT,
  restored: listOf(TEXT),
  failed_at: TEXT,
  note: TEXT,
});

/** The tool. */
export const forgetMemory = defineTool({
  name: "forget_memory",
  title: "Forget memory",
  access: "write",
  description:
    "Forgets items for good: by ids, wherever in this person's memory they lie, or by a filter (kinds, tags, thread_id, …). A filter forgets only what this agent stored, unless agent names another one, or * for all. preview: true only says what would be forgotten. It looks again afterwards: left counts what is still there.",
  isDestructive: true,
  isIdempotent: true,
  input: inputOf({
    ids: {
      type: "array",
      items: { type: "string", maxLength: 80 },
      minItems: 1,
      maxItems: MAX_IDS,
      description: "Ids, as the other tools return them; without a filter",
    },
    ...VIEW_INPUTS,
    agent: {
      ...AGENT_INPUT,
      description:
        "Whose items a filter forgets, by catalog key; * for all. Default: this agent's",
    },
    preview: {
      type: "boolean",
      description: "Only says what would be forgotten",
    },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 200,
      description: "Why, for CortexDB's audit",
    },
  }),
  output: OUTPUT,
  async run(context, args): Promise<ValueOf<typeof OUTPUT>> {
    const memory = await openMemory(context);
    const { view, targets } = planOf(memory, args);
    const preview = args.preview === true;
    const how = { preview, reason: args.reason };
    const reports: ForgetReport[] = [];
    for (const target of targets) {
      const report = await memory.engine.forget({ ...target, ...how });
      reports.push(report);
      if (report.failure !== undefined) break;
    }
    const matched = reports.flatMap((one) => one.matched);
    const left = reports.flatMap((one) => one.left);
    const failure = reports.at(-1)?.failure;
    const receipt = {
      matched: matched.length,
      matched_ids: shownOf(matched).ids,
      matched_ids_shown: shownOf(matched).shown,
      ...notFound(args.ids, matched),
      read: readShape(view, reports),
    };
    if (preview) {
      const items = await itemsShape(memory, matched);
      return { result: "preview", ...receipt, items };
    }
    return {
      result: left.length === 0 && failure === undefined
        ? "done"
        : "incomplete",
      ...receipt,
      forgotten: reports.reduce((sum, one) => sum + one.forgotten.length, 0),
      left: left.length,
      left_ids: shownOf(left).ids,
      left_ids_shown: shownOf(left).shown,
      events_removed: reports.reduce((sum, one) => sum + one.events, 0),
      ...restoredShape(reports),
      ...(failure === undefined ? {} : {
        failed_at: failure.path,
        note: `Forgetting ended at ${failure.path}: ${
          reasonOf(failure)
        }. What was removed until then is gone; the same call goes on`,
      }),
    };
  },
});

/** What is looked at, and what goes to the engine, one request each. */
interface Plan {
  readonly view: Pick<View, "node" | "kinds" | "reach">;
  readonly targets: readonly (
    | { readonly ids: readonly string[] }
    | { readonly filter: Filter }
  )[];
}

function planOf(
  memory: CallerMemory,
  { ids, agent, ...args }: ViewArguments & {
    readonly ids?: readonly string[] | undefined;
    readonly agent?: string | undefined;
  },
): Plan {
  if (ids === undefined) {
    // Everybody's, without more, would be all there is.
    if (!isNarrowed(args) && (agent ?? ANY_AGENT) === ANY_AGENT) {
      throw new ToolError(
        "Nothing says what to forget: pass ids, or a filter such as kinds, tags, thread_id or agent. To empty a node, use erase_memory",
      );
    }
    const view = viewOf(memory, args, agent ?? memory.agent);
    return { view, targets: view.filters.map((filter) => ({ filter })) };
  }
  const others = [agent, args.node, args.reach];
  if (isNarrowed(args) || others.some((one) => one !== undefined)) {
    throw new ToolError(
      "Pass ids or a filter, not both: ids are forgotten wherever they lie",
    );
  }
  const node = ROOT_NODE;
  return {
    view: { node, kinds: KINDS, reach: "below" },
    targets: [{ ids }],
  };
}

/** The first of some ids, and how many are shown where that is not all. */
function shownOf(ids: readonly ItemId[]): {
  readonly ids: readonly ItemId[] | undefined;
  readonly shown: number | undefined;
} {
  return {
    ids: ids.length === 0 ? undefined : ids.slice(0, MAX_IDS),
    shown: ids.length > MAX_IDS ? MAX_IDS : undefined,
  };
}

/** What comes in recall and list again, because nothing replaces it now. */
function restoredShape(
  reports: readonly ForgetReport[],
): { readonly restored?: readonly ItemId[] } {
  const { ids } = shownOf(reports.flatMap(({ restored }) => restored));
  return ids === undefined ? {} : { restored: ids };
}

/** The first of the items that would be forgotten, so that one can look. */
async function itemsShape(
  memory: CallerMemory,
  matched: readonly ItemId[],
): Promise<readonly ValueOf<typeof ITEM>[]> {
  const ids = matched.slice(0, MAX_SHOWN_ITEMS);
  if (ids.length === 0) return [];
  const found = await findItems(memory, ids, MAX_ITEM_TEXT);
  return found.flatMap(({ items }) => items.map(itemShape));
}

function notFound(
  ids: readonly string[] | undefined,
  matched: readonly ItemId[],
): { readonly not_found?: readonly string[] } {
  const there = new Set<string>(matched);
  const missing = (ids ?? []).filter((id) => !there.has(id));
  return missing.length === 0 ? {} : { not_found: [...new Set(missing)] };
}
