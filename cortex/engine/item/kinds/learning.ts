/**
 * Learnings: a statement worth remembering, in one event.
 *
 * @module
 */

import { LEARNING_KINDS, type LearningKind } from "../../../words.ts";
import { textFault, wordFault } from "../faults.ts";
import type { ItemMeta } from "../item.ts";
import type { ItemKind } from "../item_kind.ts";
import { text } from "../json.ts";

/** A statement worth remembering. */
export interface LearningItem {
  /** Always `learning`. */
  readonly kind: "learning";
  /** The statement. */
  readonly text: string;
  /** What it is. */
  readonly learningKind: LearningKind;
  /** How sure it is, 0 to 1. */
  readonly confidence: number;
  /** What it rests on. */
  readonly evidence?: string | undefined;
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** What is said of learnings. */
export const LEARNING: ItemKind<LearningItem> = {
  modality: "observation",
  maxParts: 1,
  textOf: (item) => item.text,
  leadOf: () => "",
  formOf: (item) => [
    item.text,
    item.learningKind,
    item.confidence,
    item.evidence ?? null,
  ],
  faultOf: (item) =>
    textFault("text", item.text) ??
      wordFault("learning kind", item.learningKind, LEARNING_KINDS) ??
      confidenceFault(item.confidence) ??
      (item.evidence === undefined
        ? undefined
        : textFault("evidence", item.evidence)),
  partsOf: ({ text: statement, learningKind, confidence, evidence }) => [{
    text: statement,
    facts: { learning_kind: learningKind, confidence, evidence },
  }],
  rebuild([{ envelope, text: statement }], meta) {
    return {
      kind: "learning",
      text: statement,
      learningKind:
        LEARNING_KINDS.find((one) => one === envelope.learning_kind) ?? "other",
      confidence: readConfidence(envelope.confidence) ?? 0,
      evidence: text(envelope.evidence),
      meta,
    };
  },
};

function confidenceFault(value: number): string | undefined {
  if (value >= 0 && value <= 1) return undefined;
  return `confidence must be from 0 to 1, not ${value}`;
}

function readConfidence(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= 1
    ? value
    : undefined;
}
