/**
 * Decisions and feedback as answers have them, as data and as text.
 *
 * @module
 */
import {
  FEEDBACK_CHANNELS,
  type GateDecision,
  type GateFeedback,
  GATES,
  RECORDED_VIA,
} from "../../../store/gate/mod.ts";
import type { Markdown } from "../../markdown/document.ts";
import {
  grouped,
  Inline,
  md,
  type Part,
  preview,
} from "../../markdown/inline.ts";
import { cutAt, isoTime } from "../../render.ts";
import {
  COUNT,
  FREE,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

/** A decision without its entry. */
export const DECISION = objectOf({
  id: COUNT,
  gate: wordOf(GATES),
  surface: TEXT,
  decision: orNull(TEXT),
  decided_at: orNull(TEXT),
  artifact_url: orNull(TEXT),
  producing_session_url: orNull(TEXT),
  writing_session_id: orNull(COUNT),
  recorded_via: wordOf(RECORDED_VIA),
  title: orNull(TEXT),
  reason: orNull({ ...TEXT, description: "Its beginning" }),
  recorded_at: TIME,
});

/** What a person said of a decision. */
export const FEEDBACK = objectOf({
  id: COUNT,
  decision_id: COUNT,
  verdict: TEXT,
  note: orNull(TEXT),
  received_at: TEXT,
  author: orNull(TEXT),
  channel: wordOf(FEEDBACK_CHANNELS),
});

/** A decision with what was said of it. */
export const FOUND_DECISION = objectOf({
  ...DECISION.properties,
  feedback: listOf(FEEDBACK),
}, { payload: FREE });

/** Characters of a note beside others. */
const SHORT_NOTE_CHARACTERS = 400;

/** The decision with the field names of the wire. */
export function decisionShape(
  one: GateDecision,
): ValueOf<typeof DECISION> {
  return {
    id: one.id,
    gate: one.gate,
    surface: one.surface,
    decision: one.decision,
    decided_at: one.decidedAt,
    artifact_url: one.artifactUrl,
    producing_session_url: one.producingSessionUrl,
    writing_session_id: one.writingSessionId,
    recorded_via: one.recordedVia,
    title: one.title,
    reason: one.reason === null
      ? null
      : cutAt(one.reason, one.reasonCharacters),
    recorded_at: isoTime(one.createdAt),
  };
}

/** The feedback with the field names of the wire. */
export function feedbackShape(
  one: GateFeedback,
): ValueOf<typeof FEEDBACK> {
  return {
    id: one.id,
    decision_id: one.decisionId,
    verdict: one.verdict,
    note: one.note,
    received_at: one.receivedAt,
    author: one.author,
    channel: one.channel,
  };
}

/** Writes the decision as a section of its own. */
export function writeDecision(
  answer: Markdown,
  one: GateDecision,
  feedback: readonly GateFeedback[],
): void {
  const heading = one.title ?? one.artifactUrl ?? `Decision ${one.id}`;
  answer.heading(3, preview(heading, 200)).field("Id", one.id)
    .field("Gate / surface", `${one.gate} / ${one.surface}`)
    .field("Decision", one.decision ?? "(none in the entry)")
    .field("Decided", one.decidedAt ?? "(no day in the entry)");
  if (one.artifactUrl !== null) answer.field("Artifact", one.artifactUrl);
  if (one.producingSessionUrl !== null) {
    answer.field("Producing session", one.producingSessionUrl);
  }
  if (one.writingSessionId !== null) {
    answer.field("Recorded by session", one.writingSessionId);
  }
  answer.field("Recorded via", one.recordedVia);
  if (one.reason !== null) answer.field("Reason", reasonLine(one));
  if (feedback.length === 0) return;
  answer.item(md`**Human feedback (${feedback.length}):**`);
  for (const said of feedback) answer.item(feedbackLine(said), 1);
}

function reasonLine({ reason, reasonCharacters }: GateDecision): Part {
  const shown = reason ?? "";
  const characters = [...shown].length;
  return characters >= reasonCharacters
    ? shown
    : md`${shown}… [${characters} of ${new Inline(
      grouped(reasonCharacters),
    )} characters]`;
}

function feedbackLine(one: GateFeedback): Inline {
  const line = md`${one.receivedAt} **${one.verdict}** (${
    one.author ?? "author unknown"
  }, ${one.channel})`;
  return one.note === null
    ? line
    : md`${line}: ${preview(one.note, SHORT_NOTE_CHARACTERS)}`;
}
