/**
 * Polls what conditions wait for at services, by whichever server comes first.
 *
 * What was seen fires first, each under the service's own name for it, and is
 * remembered as seen then: a server that dies in between fires nothing twice
 * and leaves nothing out.
 *
 * @module
 */
import {
  notePoll,
  takePoll,
  type TriggerCondition,
} from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { fireTrigger } from "../triggers/fire.ts";
import { type OutsideSettings, type Watcher, WatchError } from "./watcher.ts";

/** Seconds between two looks at a condition. */
const EVERY_SECONDS = 60;
/** Seconds for which a look keeps others away; longer than one takes. */
const LOOK_SECONDS = 300;
/** Longest wait after failures, in seconds. */
const MAX_WAIT_SECONDS = 3_600;

/** Watchers by the type of their conditions. */
export type Watchers = Readonly<
  Record<"slack" | "github_label" | "github_issue", Watcher>
>;

/** The watchers of the real services; loads their packages. */
export async function openWatchers(
  settings: OutsideSettings,
): Promise<Watchers> {
  const [{ watchGithub }, { watchSlack }] = await Promise.all([
    import("./github.ts"),
    import("./slack.ts"),
  ]);
  return {
    github_label: watchGithub("github_label", settings),
    github_issue: watchGithub("github_issue", settings),
    slack: watchSlack(settings),
  };
}

type Parts = Pick<Fleet, "catalog" | "store" | "groupNames">;

/** Looks at every condition whose turn it is; says at how many. */
export async function pollDue(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  watchers: () => Promise<Watchers>,
  signal?: AbortSignal,
): Promise<number> {
  const db = await fleet.store.db();
  let looks = 0;
  while (signal?.aborted !== true) {
    const condition = await takePoll(db, LOOK_SECONDS);
    if (condition === undefined) break;
    looks++;
    const { type } = condition;
    if (
      type === "slack" || type === "github_label" || type === "github_issue"
    ) await lookAt(fleet, condition, (await watchers())[type]);
  }
  return looks;
}

async function lookAt(
  fleet: Parts,
  condition: TriggerCondition,
  watcher: Watcher,
): Promise<void> {
  const db = await fleet.store.db();
  const { id, triggerId, configuration, cursor, pollFailures } = condition;
  try {
    const look = await watcher.look(configuration, cursor);
    for (const { occurrence, variables, because, said } of look.events) {
      const { kind } = await fireTrigger(fleet, triggerId, {
        of: { conditionId: id, occurrence, configuration },
        variables,
        because,
        said,
      });
      // What comes after it fires once somebody has armed the trigger again.
      if (kind === "broken") return;
    }
    await notePoll(db, condition, {
      kind: "seen",
      cursor: look.cursor,
      remark: look.remark,
      nextSeconds: EVERY_SECONDS,
    });
  } catch (error) {
    if (!(error instanceof WatchError)) throw error;
    await notePoll(db, condition, {
      kind: "failed",
      error: error.message,
      nextSeconds: waitSeconds(error, pollFailures),
    });
  }
}

/** What the service asks for, else twice as long after each failure. */
function waitSeconds(
  { retrySeconds }: WatchError,
  failuresBefore: number,
): number {
  const wished = retrySeconds ??
    EVERY_SECONDS * 2 ** Math.min(failuresBefore, 10);
  return Math.ceil(
    Math.min(MAX_WAIT_SECONDS, Math.max(EVERY_SECONDS, wished)),
  );
}
