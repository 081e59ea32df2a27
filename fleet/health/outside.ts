/**
 * What asks for attention of triggers and of what they and people are reached
 * by: parked triggers, services that cannot be read, notices that were not sent.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { readTargetTroubles } from "../../store/notices/mod.ts";
import type { Queryable } from "../../store/pg/mod.ts";
import {
  countClocks,
  countTriggers,
  readPollTroubles,
} from "../../store/triggers/mod.ts";
import { NO_CLOCK } from "../wakes/arm.ts";

/** Troubles that are named. */
const MAX_NAMED = 5;
/** Characters of what a service says. */
const MAX_CHARACTERS = 150;

/** The concerns, one sentence each without a period. */
export async function outsideConcerns(
  db: Queryable,
): Promise<readonly string[]> {
  const [enabled, parked, clocks, polls, targets] = await Promise.all([
    countTriggers(db, { status: "enabled" }),
    countTriggers(db, { status: "failed" }),
    countClocks(db),
    readPollTroubles(db, MAX_NAMED),
    readTargetTroubles(db),
  ]);
  return [
    ...enabled > 0 && clocks === 0 ? [NO_CLOCK] : [],
    ...parked === 0 ? [] : [
      `${parked} triggers are parked by what broke: search_triggers names it`,
    ],
    ...polls.map(({ triggerId, failures, error }) =>
      `Trigger ${triggerId} cannot be read, ${failures} times in a row: ${
        cutText(error, MAX_CHARACTERS)
      }`
    ),
    ...targets.slice(0, MAX_NAMED).map(({ target, failures, error }) =>
      `Notices are not sent to ${
        target === "notify_url" ? "NOTIFY_URL" : target
      }, ${failures} tries in a row: ${cutText(error, MAX_CHARACTERS)}`
    ),
  ];
}
