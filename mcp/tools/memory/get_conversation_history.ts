/**
 * `get_conversation_history`: turns of the conversations that all agents share.
 *
 * @module
 */
import type { HistoryTurn } from "../../../cortex/mod.ts";
import { openMemory } from "./caller.ts";
import { CUT_NOTE, READ, readShape } from "./shapes.ts";
import { fitPage, MAX_BYTES_INPUT } from "../page.ts";
import { metaInput } from "./view.ts";
import { cutAt, cutText } from "../../render.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_TURN_TEXT = 1_000;
const MAX_CURSOR = 8_000;

const TURN = objectOf({
  role: TEXT,
  text: TEXT,
  agent: orNull(TEXT),
  id: TEXT,
  turn: COUNT,
}, {
  recorded_at: TEXT,
  at: TEXT,
  tools: listOf(TEXT),
  thread_id: TEXT,
});
const OUTPUT = objectOf({
  who: wordOf(["self", "team"]),
  agent: TEXT,
  returned: COUNT,
  has_more: FLAG,
  next_cursor: orNull(TEXT),
  turns: listOf(TURN),
  read: READ,
}, { note: TEXT });

/** The tool. */
export const getConversationHistory = defineTool({
  name: "get_conversation_history",
  title: "Get conversation history",
  access: "read",
  description:
    "Reads the latest turns of stored conversations, oldest first. who self: those that this agent stored, in any of its sessions. who team: those of all other agents of this person. Both read the shared conversations only. next_cursor goes on with older turns.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    who: {
      type: "string",
      enum: ["self", "team"],
      description: "Whose turns; self when left out",
    },
    thread_id: metaInput("Only turns of this thread"),
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Turns at most, ${DEFAULT_LIMIT} by default`,
    },
    cursor: {
      type: "string",
      maxLength: MAX_CURSOR,
      description: "next_cursor of the page before: older turns",
    },
    max_bytes: MAX_BYTES_INPUT,
  }),
  output: OUTPUT,
  async run(
    context,
    {
      who = "self",
      thread_id: threadId,
      limit = DEFAULT_LIMIT,
      cursor,
      max_bytes: maxBytes,
    },
  ) {
    const { engine, agent, agentNames } = await openMemory(context);
    const history = await engine.history({
      agentId: agentNames,
      who,
      limit,
      threadId,
      cursor,
      textLimit: MAX_TURN_TEXT,
    });
    const read = readShape(
      { node: engine.chatNode, kinds: ["conversation"], reach: "only" },
      [history],
    );
    const all = history.turns.length;
    return fitPage(all, (count) => {
      // The latest turns are kept.
      const turns = history.turns.slice(0, count).toReversed();
      const isAnyCut = turns.some((one) => one.characters > MAX_TURN_TEXT);
      return {
        who,
        agent,
        returned: count,
        has_more: history.hasMore || count < all,
        next_cursor: history.hasMore || count < all
          ? history.cursors[count - 1] ?? null
          : null,
        ...(isAnyCut ? { note: CUT_NOTE } : {}),
        turns: turns.map(turnShape),
        read,
      };
    }, maxBytes);
  },
});

function turnShape(
  { turn, characters, itemId, index, agentId, threadId, recordedAt }:
    HistoryTurn,
): ValueOf<typeof TURN> {
  const { role, text, at, toolCalls = [] } = turn;
  return {
    role,
    text: cutAt(text, characters),
    at,
    tools: toolCalls.length === 0
      ? undefined
      : toolCalls.slice(0, 10).map(({ name }) => cutText(name, 100)),
    agent: agentId === undefined ? null : cutText(agentId, 200),
    thread_id: threadId === undefined ? undefined : cutText(threadId, 200),
    recorded_at: recordedAt,
    id: itemId,
    turn: index,
  };
}
