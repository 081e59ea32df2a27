/**
 * Arguments that the tools of this group and their REST routes share.
 *
 * @module
 */
import {
  type DecisionQuery,
  MAX_DECISION_OFFSET,
  MAX_DECISIONS,
} from "../../../fleet/mod.ts";
import type { ArgsOf, inputOf } from "../../schema.ts";

/** Schema of `gate`. */
export const GATE_INPUT = {
  type: "string",
  maxLength: 100,
  description: "pr_merge (rates pull requests) or issue_work (rates issues)",
} as const;

/** Schema of `surface`. */
export const SURFACE_INPUT = {
  type: "string",
  maxLength: 1_000,
  description:
    "What was rated: the agent root or repository. Case, blanks and hyphens make no difference",
} as const;

/** Schema of `entry`. */
export const ENTRY_INPUT = {
  type: "object",
  description:
    "The decision in your gate's own form, kept as it is: with pr or issue (its address), title, decided_at (2026-08-31), decision and reason. At most 512 KB; human_feedback is taken out",
} as const;

/** Schemas of what narrows and pages a search. */
export const SEARCH_INPUT = {
  gate: GATE_INPUT,
  surface: SURFACE_INPUT,
  decision: {
    type: "string",
    description: "The verdict, exactly: hold, auto-merge, auto-proceed",
  },
  artifact_url: {
    type: "string",
    description: "The whole address of the pull request or issue, exactly",
  },
  artifact_query: {
    type: "string",
    description: "A part of that address, whatever its case: pull/749",
  },
  query: {
    type: "string",
    description:
      "A part of the entry's text, whatever its case, taken literally: a file, #722, a phrase",
  },
  with_human_feedback: {
    type: "boolean",
    description: "true: only decisions that a person said something of",
  },
  from: { type: "string", description: "First day, 2026-08-01" },
  to: { type: "string", description: "Last day, 2026-08-31" },
  limit: {
    type: "integer",
    maximum: MAX_DECISIONS,
    description: "At most so many, 10 by default",
  },
  offset: {
    type: "integer",
    minimum: 0,
    description:
      `Decisions to skip, up to ${MAX_DECISION_OFFSET}; next_cursor goes further`,
  },
  cursor: {
    type: "string",
    description:
      "Goes on behind the page before: pass its next_cursor, and the rest as it was",
  },
} as const;

/** What these arguments ask for. */
export function decisionQueryOf(
  args: ArgsOf<ReturnType<typeof inputOf<typeof SEARCH_INPUT>>>,
  signal: AbortSignal | undefined,
): DecisionQuery {
  return {
    gate: args.gate,
    surface: args.surface,
    decision: args.decision,
    artifactUrl: args.artifact_url,
    artifactQuery: args.artifact_query,
    query: args.query,
    withFeedback: args.with_human_feedback,
    from: args.from,
    to: args.to,
    limit: args.limit,
    offset: args.offset,
    cursor: args.cursor,
    signal,
  };
}
