/**
 * `record_gate_decision`: one decision into the ledger.
 *
 * @module
 */
import { recordDecision } from "../../../fleet/mod.ts";
import { receipt } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { COUNT, inputOf, withOptional } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { ENTRY_INPUT, GATE_INPUT, SURFACE_INPUT } from "./inputs.ts";
import { DECISION, decisionShape } from "./shapes.ts";

/** The tool. */
export const recordGateDecision = defineTool({
  name: "record_gate_decision",
  title: "Record gate decision",
  access: "write",
  description:
    "Records one decision of a gate: pr_merge on a pull request, issue_work on an issue. The entry is kept as it is; its address (pr or issue), decided_at, decision and producing_session can be searched for. The ledger only grows: a correction is a new decision on the same artifact that names the one it corrects. Who records is taken from this connection. human_feedback is never written from here, at any depth: people give it on the server's page. Refuses a gate it does not know and entries over 512 KB.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    gate: GATE_INPUT,
    surface: SURFACE_INPUT,
    entry: ENTRY_INPUT,
  }, ["gate", "surface", "entry"]),
  output: withOptional(DECISION, { human_feedback_removed: COUNT }),
  async run({ services, connection }, { gate, surface, entry }) {
    const { decision, removedFeedback } = await recordDecision(services, {
      gate,
      surface,
      entry,
      recordedVia: "mcp",
      writingSessionId: connection.sessionId,
    });
    const none = "(none in the entry)";
    const answer = receipt(md`Gate decision recorded`, [
      ["Id", decision.id],
      ["Gate / surface", `${decision.gate} / ${decision.surface}`],
      ["Decision", decision.decision ?? none],
      ["Decided", decision.decidedAt ?? "(no day in the entry)"],
      ["Artifact", decision.artifactUrl ?? none],
      ["Producing session", decision.producingSessionUrl ?? none],
      [
        "Recorded by session",
        decision.writingSessionId ?? "(this connection names no session)",
      ],
    ]);
    if (removedFeedback > 0) {
      answer.line(
        md`human_feedback was taken out of the entry (${removedFeedback} ${
          removedFeedback === 1 ? "place" : "places"
        }): no tool writes it. A person gives feedback on the server's page.`,
      );
    }
    if (decision.artifactUrl === null) {
      answer.line(
        md`There is no address in the entry's pr or issue, so this decision cannot be found by its artifact. Rows stay as they are: record another one with the address if that was a mistake.`,
      );
    }
    return new Written(answer.text, {
      ...decisionShape(decision),
      human_feedback_removed: removedFeedback,
    });
  },
});
