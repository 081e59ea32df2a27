/**
 * `list_memory_nodes`: the nodes where something was stored.
 *
 * @module
 */
import { KINDS, ROOT_NODE } from "../../../cortex/words.ts";
import { NODE_INPUT, nodeOf, openMemory } from "./caller.ts";
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

const MAX_NODES = 300;

const OUTPUT = objectOf({
  node: TEXT,
  own_node: TEXT,
  chat_node: TEXT,
  total: COUNT,
  returned: COUNT,
  nodes: listOf(objectOf({
    node: TEXT,
    kinds: listOf(wordOf(KINDS)),
  }, { below: TEXT })),
  read: objectOf({
    node: TEXT,
    reach: wordOf(["below"]),
    listing_cut: FLAG,
  }, { note: TEXT }),
}, { note: TEXT });

/** The tool. */
export const listMemoryNodes = defineTool({
  name: "list_memory_nodes",
  title: "List memory nodes",
  access: "read",
  description:
    "Lists the nodes of this person's memory where something was stored, with the kinds at each: agents, workspaces, projects, sources and workflows. An emptied node may still be listed. Their names are what node takes in the other tools.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    node: {
      ...NODE_INPUT,
      description:
        "List this node and those below it; everything below root when left out",
    },
  }),
  output: OUTPUT,
  async run(context, args): Promise<ValueOf<typeof OUTPUT>> {
    const memory = await openMemory(context);
    const { engine, own } = memory;
    const at = args.node === undefined ? ROOT_NODE : nodeOf(memory, args.node);
    const { nodes, isCut } = await engine.nodes(at);
    const isShort = nodes.length > MAX_NODES;
    return {
      node: at,
      own_node: own,
      chat_node: engine.chatNode,
      total: nodes.length,
      returned: Math.min(nodes.length, MAX_NODES),
      ...(isShort
        ? {
          note:
            `Only the first ${MAX_NODES} of ${nodes.length} are shown; name a node further down`,
        }
        : {}),
      nodes: nodes.slice(0, MAX_NODES).map(({ node, kinds, isRetired }) => ({
        node,
        kinds,
        ...(isRetired ? { below: "retired root" } : {}),
      })),
      read: {
        node: at,
        reach: "below",
        listing_cut: isCut,
        ...(isCut
          ? { note: "CortexDB's list of scopes is cut: nodes may be missing" }
          : {}),
      },
    };
  },
});
