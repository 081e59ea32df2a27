/**
 * Conversations: turns in their order, an event each.
 *
 * @module
 */

import type { Tally } from "../../../client/wire.ts";
import { MAX_TURNS, type Role, ROLES } from "../../../words.ts";
import { readTime } from "../envelope_meta.ts";
import {
  firstFault,
  textFault,
  timeFault,
  toolCallFault,
  wordFault,
} from "../faults.ts";
import type { ItemMeta, ToolCall } from "../item.ts";
import type { ItemKind, ReadPart } from "../item_kind.ts";
import { type Json, record, text } from "../json.ts";

/** One turn of a conversation. */
export interface Turn {
  /** Who speaks. */
  readonly role: Role;
  /** What was said. */
  readonly text: string;
  /** When, RFC 3339. */
  readonly at?: string | undefined;
  /** Tools called in it. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
}

/** Turns in their order. */
export interface ConversationItem {
  /** Always `conversation`. */
  readonly kind: "conversation";
  /** The turns; at least one. */
  readonly turns: readonly Turn[];
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** What is said of conversations. */
export const CONVERSATION: ItemKind<ConversationItem> = {
  modality: "conversation",
  maxParts: MAX_TURNS,
  textOf: ({ turns }) =>
    turns.map((turn) => `${turn.role}: ${turn.text}`).join("\n"),
  leadOf: (part, place) =>
    `${place === 0 ? "" : "\n"}${roleOf(part.envelope)}: `,
  formOf: ({ turns }) =>
    turns.map((turn) => [
      turn.role,
      turn.text,
      turn.at ?? null,
      (turn.toolCalls ?? []).map(({ name, id }) => [name, id ?? null]),
    ]),
  faultOf({ turns }) {
    if (turns.length === 0 || turns.length > MAX_TURNS) {
      return `a conversation has 1 to ${MAX_TURNS} turns, this one has ${turns.length}`;
    }
    for (const [index, turn] of turns.entries()) {
      const fault = turnFault(turn);
      if (fault !== undefined) return `turn ${index}: ${fault}`;
    }
    return undefined;
  },
  partsOf: ({ turns }) =>
    turns.map((turn) => ({
      text: turn.text,
      role: turn.role,
      facts: { role: turn.role, at: turn.at, tool_calls: turn.toolCalls },
      observedAt: turn.at,
      // What a tool printed is kept and found, and nothing is made of it.
      derive: turn.role !== "tool",
    })),
  rebuild: (parts, meta) => ({
    kind: "conversation",
    turns: parts.map(turnOf),
    meta,
  }),
};

/** Characters of the text that turns make, counted by their tally. */
export function charactersOf(
  { events, textLength, roleLength }: Tally,
): number {
  if (events === 0) return 0;
  // Each has a colon and a space behind its role, all but one a line's end.
  return textLength + roleLength + 3 * events - 1;
}

/** The turn that an event holds. */
export function turnOf(
  { envelope, text: said }: Pick<ReadPart, "envelope" | "text">,
): Turn {
  return {
    role: roleOf(envelope),
    text: said,
    at: readTime(envelope.at),
    toolCalls: readToolCalls(envelope.tool_calls),
  };
}

function roleOf(envelope: Json): Role {
  return ROLES.find((one) => one === envelope.role) ?? "user";
}

function turnFault(turn: Turn): string | undefined {
  return wordFault("role", turn.role, ROLES) ?? textFault("text", turn.text) ??
    timeFault("at", turn.at) ?? firstFault(turn.toolCalls ?? [], toolCallFault);
}

function readToolCalls(value: unknown): readonly ToolCall[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => {
    const name = text(record(one)?.name);
    return name === undefined ? [] : [{ name, id: text(record(one)?.id) }];
  });
}
