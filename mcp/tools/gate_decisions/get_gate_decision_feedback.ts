/**
 * `get_gate_decision_feedback`: what people said of decisions.
 *
 * @module
 */
import { searchFeedback } from "../../../fleet/mod.ts";
import {
  countLedger,
  type FeedbackWithDecision,
} from "../../../store/gate/mod.ts";
import { Markdown } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { cutText } from "../../render.ts";
import { COUNT, inputOf, listOf, objectOf } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { GATE_INPUT, SEARCH_INPUT, SURFACE_INPUT } from "./inputs.ts";
import { filtersLine } from "./search_text.ts";
import { DECISION, decisionShape, FEEDBACK, feedbackShape } from "./shapes.ts";

/** Characters of a note. */
const NOTE_CHARACTERS = 4_000;

/** The tool. */
export const getGateDecisionFeedback = defineTool({
  name: "get_gate_decision_feedback",
  title: "Get gate decision feedback",
  access: "read",
  description:
    "Shows every correction that people made to a gate's decisions, newest first, each with the decision it is about. Read it before you rate anything: it is the only place where a gate learns that it was wrong. Narrow by gate and surface, or by decision_id. channel says where a note comes from: web_ui, the server's page, which no tool reaches; imported, taken over from before.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    gate: GATE_INPUT,
    surface: SURFACE_INPUT,
    decision_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Only what was said of this decision",
    },
    limit: SEARCH_INPUT.limit,
  }),
  output: objectOf({
    returned: COUNT,
    feedback: listOf(objectOf({
      ...FEEDBACK.properties,
      decision: DECISION,
    })),
  }),
  async run({ services }, args) {
    const found = await searchFeedback(services, {
      gate: args.gate,
      surface: args.surface,
      decisionId: args.decision_id,
      limit: args.limit,
    });
    const filters = filtersLine(args, ["gate", "surface", "decision_id"]);
    const data = {
      returned: found.length,
      feedback: found.map(({ feedback, decision }) => ({
        ...feedbackShape(feedback),
        note: feedback.note === null
          ? null
          : cutText(feedback.note, NOTE_CHARACTERS),
        decision: decisionShape(decision),
      })),
    };
    const answer = new Markdown();
    if (found.length === 0) {
      const totals = await countLedger(await services.store.db());
      answer.line(
        md`Nobody said anything for ${filters}. The ledger holds ${totals.feedbacks} such notes on ${totals.decisions} decisions in all; without arguments, all of them are shown.`,
      );
      return new Written(answer.text, data);
    }
    answer.heading(2, md`Human feedback on gate decisions`).line(
      md`${found.length} ${
        found.length === 1 ? "note" : "notes"
      } for ${filters}, newest first.`,
    );
    for (const one of found) writeNote(answer, one);
    return new Written(answer.text, data);
  },
});

function writeNote(
  answer: Markdown,
  { feedback, decision }: FeedbackWithDecision,
): void {
  answer.heading(3, md`${feedback.verdict} (${feedback.receivedAt})`)
    .field(
      "On decision",
      md`${decision.id}, ${decision.gate} / ${decision.surface}, decided ${
        decision.decidedAt ?? "on no known day"
      } as **${decision.decision ?? "nothing in particular"}**`,
    );
  if (decision.artifactUrl !== null) {
    answer.field("Artifact", decision.artifactUrl);
  }
  answer.field("Author", feedback.author ?? "not known").field(
    "Channel",
    feedback.channel === "web_ui"
      ? "web_ui (the server's page)"
      : "imported (taken over from before)",
  );
  if (feedback.note === null) answer.line(md`(no note beside the verdict)`);
  else {
    answer.quoteUpTo(feedback.note, {
      limit: NOTE_CHARACTERS,
      whole: `GET /api/v1/gate_decisions/${decision.id} has it whole`,
    });
  }
}
