import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { isFeedbackName, withoutFeedback } from "./scrub.ts";

Deno.test("a name that reads as human_feedback is one, however it is spelled", () => {
  for (
    const name of [
      "human_feedback",
      "HUMAN_FEEDBACK",
      "humanFeedback",
      "Human Feedback",
      "human-feedback",
      " human.feedback ",
      "human__feedback_2",
      "human\u200b_feed\u00adback",
      "h\u00fcman_feedb\u00e0ck",
      "\uff48uman_feedback",
      "\u{1d421}uman_feedback",
      "hum\u0430n_f\u0435\u0435db\u0430\u0441k",
      "human_feedbacks",
      "feedback_human",
      `human_feedback${"_".repeat(900)}`,
    ]
  ) equal(isFeedbackName(name), true, name);
  for (
    const name of [
      "",
      "feedback",
      "human",
      "human_feedback_requested_by",
      "inhuman_feedback",
      "humane_feedback",
    ]
  ) equal(isFeedbackName(name), false, name);
});

Deno.test("nothing that reads as human_feedback is left at any depth, and all else stays as it was", () => {
  const name = fc.oneof(
    fc.constantFrom("human_feedback", "Human-Feedback", "__proto__", "a"),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.string(),
      fc.constant(null),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  const namesIn = (value: unknown): string[] =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([key, item]) => [
        ...(Array.isArray(value) ? [] : [key]),
        ...namesIn(item),
      ]);
  fc.assert(fc.property(tree, (given) => {
    const value = JSON.parse(JSON.stringify(given));
    const { value: kept, removed } = withoutFeedback(value);
    equal(namesIn(kept).some(isFeedbackName), false);
    equal(removed > 0, namesIn(value).some(isFeedbackName));
    if (removed === 0) deepEqual(kept, value);
    deepEqual(withoutFeedback(kept), { value: kept, removed: 0 });
  }));
});
