/**
 * What an agent is told of itself, and of what was said before.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import { forkPointOf, type Session } from "../../store/sessions/mod.ts";
import { readRecap } from "../../store/turns/mod.ts";

/** Turns of a recap; more of it where nothing else is remembered. */
const RECAP_TURNS = 5;
const FIRST_RECAP_TURNS = 20;

/** What it is about. */
export interface SelfFacts {
  /** The session. */
  readonly session: Session;
  /** What it is to reach; null where nobody said. */
  readonly goal: string | null;
}

/** The text, for the end of the agent's own system text. */
export function systemTextOf({ session, goal }: SelfFacts): string {
  const { id, agentRootKey, parentSessionId } = session;
  return [
    `You are session ${id} of ${
      agentRootKey === null ? "no agent root" : `agent root "${agentRootKey}"`
    }, run by Rootcellar. The MCP server "rootcellar" speaks for this session.`,
    goal === null ? "" : `Your goal: ${goal}`,
    "Your turn ends when you stop; you are given another one when somebody writes to you. Do not wait inside a turn: to be woken at a time or when another session changes its state, call wake_me_up_later or wake_me_up_when_session_changes_state, then stop.",
    parentSessionId === null
      ? ""
      : `Session ${parentSessionId} started you: message_parent of action_session reports to it.`,
    "When your work is done for good, archive yourself with action_session.",
  ].filter((line) => line !== "").join("\n");
}

/** Begins the turn after one that broke off. */
export function recoveryCause(why: string): string {
  return `Your last turn was broken off: ${why}. What follows is what you were told then, not something new. See first how much of it is done, do not do that again, and finish the rest.`;
}

/** The recap of a session's talk; empty where there is none to be told. */
export async function recapOf(
  tx: Transaction,
  session: Session,
): Promise<string> {
  // A command has no conversation: each of its turns stands by itself.
  if (session.agentRuntime === "command") return "";
  const isBegun = session.conversationId !== null;
  const recap = await readRecap(
    tx,
    session,
    isBegun ? RECAP_TURNS : FIRST_RECAP_TURNS,
  );
  const fork = forkPointOf(session);
  if (recap === "") return "";
  return fork === undefined || isBegun
    ? `This conversation begins anew: the earlier one is not to be had any more. Its last turns:\n\n${recap}`
    : `This session was forked from session ${fork.sessionId} after its turn ${fork.turn}. What was said up to there:\n\n${recap}`;
}
