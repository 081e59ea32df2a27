/**
 * How a turn ended, from what its agent says and why it was made to stop.
 *
 * @module
 */
import type { EndRequest, GitReport } from "../../fleet/turns/protocol.ts";
import { type AgentEnd, agentEnd } from "../agents/agent.ts";
import { TreeError } from "../trees/tree.ts";
import type { StopCause } from "./stopping.ts";

/** What came of a turn, but for its receipt. */
export interface Work {
  /** How its agent ended. */
  readonly end: AgentEnd;
  /** What is in its tree. */
  readonly git: GitReport | null;
  /** Processes that it left behind and that were killed. */
  readonly leftovers: number;
}

/** Whoever made it stop decides; else the agent does. */
export function outcomeOf(
  cause: StopCause | undefined,
  end: AgentEnd,
): Pick<EndRequest, "outcome" | "class" | "detail"> {
  switch (cause?.kind) {
    case undefined:
      return { outcome: end.outcome, class: end.class, detail: end.detail };
    case "command":
      return { outcome: "interrupted", class: null, detail: end.detail };
    case "rule":
      return { outcome: "failed", class: cause.class, detail: cause.detail };
    case "fence":
      return {
        outcome: "lost",
        class: "lost",
        detail:
          "The runner could not reach its server, and ended the agent before its lease could",
      };
    case "runner":
      return {
        outcome: "lost",
        class: "lost",
        detail: "The runner was stopped",
      };
    case "lost":
      return { outcome: "lost", class: "lost", detail: cause.detail };
  }
}

/** The end of a turn whose tree is not ready: nobody was told anything. */
export function failedTree(error: unknown): AgentEnd {
  if (error instanceof TreeError) {
    return agentEnd("failed", { class: error.class, detail: error.message });
  }
  return agentEnd("failed", { class: "tree_broken", detail: String(error) });
}
