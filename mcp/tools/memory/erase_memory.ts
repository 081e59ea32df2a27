/**
 * `erase_memory`: empties a node for good, after a preview and by its name.
 *
 * @module
 */
import { KINDS, type Node, ROOT_NODE } from "../../../cortex/words.ts";
import type { EraseReport } from "../../../cortex/mod.ts";
import { CortexRefusalError } from "../../../cortex/words.ts";
import { ToolError } from "../../errors.ts";
import { cutText } from "../../render.ts";
import { NODE_INPUT, nodeOf, openMemory } from "./caller.ts";
import { reasonOf } from "./reason.ts";
import { KINDS_INPUT, kindsOf } from "./view.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const MAX_SHOWN_SCOPES = 100;
/** Up to where cortex counts the events of a scope. */
const COUNTED = 1_000;

/** A preview counts what would go, anything else what is left. */
const COUNTED_EVENTS = { events: COUNT, events_left: COUNT };
type Counted = keyof typeof COUNTED_EVENTS;

const OUTPUT = objectOf({
  result: wordOf(["preview", "erased", "incomplete"]),
  node: TEXT,
  include_below: FLAG,
  kinds: listOf(wordOf(KINDS)),
  scopes_total: COUNT,
  scopes: listOf(objectOf({
    scope: TEXT,
    node: TEXT,
    kind: wordOf(KINDS),
    how: TEXT,
  }, COUNTED_EVENTS)),
}, {
  ...COUNTED_EVENTS,
  count_is_at_least: FLAG,
  scopes_shown: COUNT,
  foreign: listOf(objectOf({ scope: TEXT }, { events: COUNT })),
  failed_at: TEXT,
  note: TEXT,
});

/** The tool. */
export const eraseMemory = defineTool({
  name: "erase_memory",
  title: "Erase memory",
  access: "write",
  description:
    "Empties a node of this person's memory for good, whoever stored what is there. Without confirm_node it is a preview: it says what would go and erases nothing. To erase, show the preview to the user first, then repeat the call with confirm_node equal to node. include_below takes the nodes below with it, workflows included. For single items use forget_memory.",
  isDestructive: true,
  isIdempotent: true,
  input: inputOf({
    node: {
      ...NODE_INPUT,
      description: "The node to empty, such as agent:librarian; or root",
    },
    include_below: {
      type: "boolean",
      description: "Whether the nodes below it are emptied, too",
    },
    kinds: KINDS_INPUT,
    confirm_node: {
      type: "string",
      description: "The node again, to erase; nothing is erased without it",
    },
    whole_tree: {
      type: "boolean",
      description:
        "Needed for node root with include_below: all memory of this person",
    },
    preview: {
      type: "boolean",
      description: "true: erases nothing, whatever else is passed",
    },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 200,
      description: "Why, for CortexDB's audit",
    },
  }, ["node"]),
  output: OUTPUT,
  async run(context, args): Promise<ValueOf<typeof OUTPUT>> {
    const memory = await openMemory(context);
    const at = nodeOf(memory, args.node);
    const descendants = args.include_below === true;
    const wholeTree = args.whole_tree === true;
    const preview = isPreview(args);
    if (!preview) {
      const isTree = at === ROOT_NODE && descendants;
      assertConfirmed(args, at, isTree && !wholeTree);
    }
    const report = await eraseOrSayHow(() =>
      memory.engine.erase({
        at,
        descendants,
        kinds: kindsOf(args.kinds),
        wholeTree,
        preview,
        reason: args.reason,
      })
    );
    const notes = notesOf(at, report, preview);
    return {
      result: preview ? "preview" : report.isProven ? "erased" : "incomplete",
      node: at,
      include_below: descendants,
      kinds: kindsOf(args.kinds),
      ...reportShape(report, preview),
      ...(report.foreign.length === 0 ? {} : {
        foreign: report.foreign.map(({ path, events }) => ({
          scope: cutText(path, 200),
          ...(events === undefined ? {} : { events }),
        })),
      }),
      ...(report.failure === undefined
        ? {}
        : { failed_at: report.failure.path }),
      ...(notes.length === 0 ? {} : { note: notes.join(". ") }),
    };
  },
});

/** Whether, and by which words, a call asks to erase. */
interface Confirmation {
  readonly node: string;
  readonly confirm_node?: string | undefined;
  readonly preview?: boolean | undefined;
}

function isPreview(args: Confirmation): boolean {
  if (args.preview === true) return true;
  if (args.confirm_node !== undefined) return false;
  if (args.preview !== false) return true;
  throw new ToolError("To erase, pass confirm_node with the same node");
}

function assertConfirmed(
  args: Confirmation,
  node: Node,
  lacksWholeTree: boolean,
): void {
  if (args.confirm_node !== args.node && args.confirm_node !== node) {
    throw new ToolError(
      `Nothing was erased: confirm_node must be "${node}", the node that is erased`,
    );
  }
  if (!lacksWholeTree) return;
  throw new ToolError(
    "Nothing was erased: root with include_below is all memory of this person; that needs whole_tree: true",
  );
}

function reportShape(
  { scopes }: EraseReport,
  isPreview: boolean,
): Pick<
  ValueOf<typeof OUTPUT>,
  "scopes_total" | "scopes" | "scopes_shown" | "count_is_at_least" | Counted
> {
  const counted = (events: number | undefined) =>
    events === undefined
      ? {}
      : isPreview
      ? { events }
      : { events_left: events };
  const events = scopes.reduce((sum, one) => sum + (one.events ?? 0), 0);
  // A scope that nobody could look into may hold some, too.
  const isMore = scopes.some(({ events = COUNTED }) => events >= COUNTED);
  return {
    scopes_total: scopes.length,
    ...counted(events),
    ...(isMore ? { count_is_at_least: true } : {}),
    scopes: scopes.slice(0, MAX_SHOWN_SCOPES).map((one) => ({
      scope: one.path,
      node: one.node,
      kind: one.kind,
      ...counted(one.events),
      how: one.how === "events" ? "event by event" : one.how,
    })),
    ...(scopes.length > MAX_SHOWN_SCOPES
      ? { scopes_shown: MAX_SHOWN_SCOPES }
      : {}),
  };
}

/** A backend may have no such request; items can be forgotten all the same. */
async function eraseOrSayHow(
  erase: () => Promise<EraseReport>,
): Promise<EraseReport> {
  try {
    return await erase();
  } catch (error) {
    const isUnknown = error instanceof CortexRefusalError &&
      (error.reason === "unsupported" || error.reason === "not_found");
    if (!isUnknown) throw error;
    throw new ToolError(
      "Nothing was erased: this CortexDB erases no single scopes. forget_memory removes what is there item by item: pass the same node, reach only (or below) and agent *",
    );
  }
}

/** What the caller should do, or know. */
function notesOf(
  node: Node,
  report: EraseReport,
  isPreview: boolean,
): readonly string[] {
  const { foreign } = report;
  return [
    ...(isPreview ? [nextStep(node, report)] : []),
    ...failureNote(report, isPreview),
    ...(foreign.length === 0 ? [] : [
      "The scopes in foreign lie below and are not laid out as this server does it; they stay, and only CortexDB itself can erase them",
    ]),
  ];
}

function failureNote(
  { scopes, failure }: EraseReport,
  isPreview: boolean,
): readonly string[] {
  if (failure === undefined) return [];
  const empty = scopes.filter(({ events }) => events === 0).length;
  const unknown = scopes.filter(({ events }) => events === undefined).length;
  const left = scopes.length - empty - unknown;
  const unseen = `${unknown} could not be looked into`;
  const reason = reasonOf(failure);
  return [
    isPreview
      ? `The count ended at ${failure.path}: ${reason}. Of ${scopes.length} scopes ${unseen}`
      : `The erasure ended at ${failure.path}: ${reason}. ${empty} of ${scopes.length} scopes are empty, ${left} still hold events${
        unknown === 0 ? "" : `, ${unseen}`
      }; the same call goes on`,
  ];
}

function nextStep(node: Node, { scopes }: EraseReport): string {
  return scopes.length === 0
    ? "Nothing is stored there"
    : `Nothing was erased. To erase all of this for good, call again with confirm_node "${node}"`;
}
