/**
 * What a person says of a decision. Only the page calls this: no tool and no
 * REST route does, for such a word is worth what the promise is worth that no
 * program wrote it.
 *
 * @module
 */
import { assertStorable } from "../../store/pg/mod.ts";
import { type GateFeedback, insertFeedback } from "../../store/gate/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";

/** Feedback as a person writes it. */
export interface FeedbackRequest {
  /** The decision. */
  readonly decisionId: number;
  /** In a word or two, 1 to 200 characters. */
  readonly verdict: string;
  /** At most 20,000 characters. */
  readonly note?: string | undefined;
  /** Who says it, at most 100 characters. */
  readonly author?: string | undefined;
}

const LIMITS = { verdict: 200, note: 20_000, author: 100 } as const;

/** Records feedback. @throws {FleetRefusalError} A rule says no. */
export async function recordFeedback(
  { store }: Pick<Fleet, "store">,
  request: FeedbackRequest,
): Promise<GateFeedback> {
  const verdict = textOf("verdict", request.verdict);
  if (verdict === null) {
    throw new FleetRefusalError(
      "bad_argument",
      "Say in a word or two what the verdict should have been, such as should-have-held",
    );
  }
  const feedback = await insertFeedback(await store.db(), {
    decisionId: request.decisionId,
    verdict,
    note: textOf("note", request.note),
    author: textOf("author", request.author),
    channel: "web_ui",
  });
  if (feedback !== undefined) return feedback;
  throw new FleetRefusalError(
    "not_found",
    `There is no decision ${request.decisionId} in the ledger`,
  );
}

function textOf(
  name: keyof typeof LIMITS,
  given: string | undefined,
): string | null {
  const text = given?.trim() ?? "";
  if (text === "") return null;
  assertStorable(text, `the ${name}`);
  const { length } = [...text];
  if (length <= LIMITS[name]) return text;
  throw new FleetRefusalError(
    "bad_argument",
    `The ${name} has ${length} characters, and the most is ${LIMITS[name]}`,
  );
}
