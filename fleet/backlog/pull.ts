/**
 * Takes items off the backlog and starts them, each as a session of its own:
 * all that was asked for, or nothing.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import {
  type BacklogItem,
  firstItems,
  lockQueue,
  markRemoved,
  markStarted,
  queuedItems,
} from "../../store/backlog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { lockSession, type Session } from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { assertRootInside } from "../fence.ts";
import { PRECEDENCES } from "./bands.ts";
import { routerRoot, spawnSession } from "./spawn.ts";

/** Most items of a pull. */
export const MAX_PULLED = 10;

/** Why an item may be taken off without a person: facts that were looked up. */
export const DEAD_REASONS = [
  "issue_closed",
  "issue_has_open_pr",
  "session_already_working",
  "trust_failed",
] as const;

/** An item that turned out to be dead. */
export interface DeadItem {
  /** Its name. */
  readonly key: string;
  /** One of {@link DEAD_REASONS}. */
  readonly reason: string;
}

/** What is to be pulled. */
export interface PullRequest {
  /** The first so many of the queue. */
  readonly count?: number | undefined;
  /** Exactly these, in this order. */
  readonly keys?: readonly string[] | undefined;
  /** These are taken off instead. */
  readonly dead?: readonly DeadItem[] | undefined;
}

/** Who pulls. */
export interface Puller {
  /** The session that the connection names. */
  readonly sessionId: number | null;
  /** Roots that the connection may start; null is all. */
  readonly allowedAgentRoots: readonly string[] | null;
}

/** An item and the session that it became. */
export interface StartedItem {
  /** The item. */
  readonly item: BacklogItem;
  /** The session. */
  readonly session: Session;
}

/** What was done. */
export interface Pulled {
  /** In the order in which they were started. */
  readonly started: readonly StartedItem[];
  /** Taken off. */
  readonly removed: readonly BacklogItem[];
}

/**
 * Pulls items.
 *
 * @throws {FleetRefusalError} Begins with "Nothing was pulled", and so it is.
 */
export async function pullItems(
  fleet: Pick<Fleet, "catalog" | "store" | "routerRoot">,
  request: PullRequest,
  puller: Puller,
): Promise<Pulled> {
  try {
    return await pull(fleet, checked(request), puller);
  } catch (error) {
    if (!(error instanceof FleetRefusalError)) throw error;
    throw new FleetRefusalError(
      error.code,
      `Nothing was pulled: ${error.message}`,
    );
  }
}

interface CheckedPull {
  readonly count: number;
  readonly keys: readonly string[];
  readonly dead: readonly DeadItem[];
}

async function pull(
  fleet: Pick<Fleet, "catalog" | "store" | "routerRoot">,
  request: CheckedPull,
  puller: Puller,
): Promise<Pulled> {
  const isStarting = request.count > 0 || request.keys.length > 0;
  const router = isStarting ? await routerRoot(fleet) : undefined;
  if (router !== undefined) {
    const snapshot = await fleet.catalog.current();
    assertRootInside(puller.allowedAgentRoots, snapshot, router.root.name);
  }
  const { sessionId } = puller;
  if (sessionId === null) {
    throw bad(
      "what is pulled becomes a child of the calling session, and this connection names none; add session_id=<id> to the MCP URL",
    );
  }
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    await lockQueue(tx);
    const caller = await lockSession(tx, sessionId);
    if (caller === undefined || caller.status === "archived") {
      throw new FleetRefusalError(
        caller === undefined ? "not_found" : "wrong_state",
        `the calling session ${sessionId} ${
          caller === undefined ? "does not exist" : "is archived"
        }`,
      );
    }
    const removed = await removeDead(tx, request.dead, sessionId);
    const items = request.keys.length > 0
      ? await named(tx, request.keys)
      : await firstItems(tx, request.count);
    const started: StartedItem[] = [];
    for (const [at, item] of items.entries()) {
      if (router === undefined) break;
      const session = await spawnSession(tx, {
        item,
        router,
        schedulingClass: "spot",
        parentSessionId: sessionId,
        precedence: Math.min(
          PRECEDENCES.most,
          caller.precedence + items.length - at,
        ),
        genesis: caller.genesis,
      });
      const marked = await markStarted(tx, item.id, {
        sessionId: session.id,
        startedBy: sessionId,
      });
      started.push({ item: marked, session });
    }
    return { started, removed };
  });
}

async function removeDead(
  tx: Transaction,
  dead: readonly DeadItem[],
  sessionId: number,
): Promise<BacklogItem[]> {
  const found = await queuedItems(tx, dead.map(({ key }) => key));
  const removed: BacklogItem[] = [];
  for (const { key, reason } of dead) {
    const item = found.find((one) => one.key === key);
    if (item === undefined) throw notQueued([key], "taken off");
    const by = `session:${sessionId}`;
    removed.push(await markRemoved(tx, item.id, { reason, by }));
  }
  return removed;
}

async function named(
  tx: Transaction,
  keys: readonly string[],
): Promise<BacklogItem[]> {
  const found = await queuedItems(tx, keys);
  const missing = keys.filter((key) => !found.some((one) => one.key === key));
  if (missing.length > 0) throw notQueued(missing, "started");
  return found.toSorted((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
}

function notQueued(
  keys: readonly string[],
  what: string,
): FleetRefusalError {
  return new FleetRefusalError(
    "wrong_state",
    `not queued, so not to be ${what}: ${
      cutText(keys.join(", "), 200)
    }; get_work_backlog shows what is in line`,
  );
}

function checked({ count, keys = [], dead = [] }: PullRequest): CheckedPull {
  const names = keys.map((key) => key.trim()).filter((key) => key !== "");
  const gone = dead.map(({ key, reason }) => ({
    key: key.trim(),
    reason: reason.trim(),
  }));
  if (count === undefined && names.length === 0 && gone.length === 0) {
    throw bad(
      "pass count (the first so many), keys (these), or dead (to be taken off)",
    );
  }
  if (count !== undefined && names.length > 0) {
    throw bad("pass count or keys, not both");
  }
  if (count !== undefined && !(count >= 0 && count <= MAX_PULLED)) {
    throw bad(`count is 0 to ${MAX_PULLED}; it is ${count}`);
  }
  if (names.length > MAX_PULLED) {
    throw bad(`${MAX_PULLED} keys at most; there are ${names.length}`);
  }
  if (gone.length > MAX_DEAD) {
    throw bad(`${MAX_DEAD} dead items at most; there are ${gone.length}`);
  }
  const all = [...names, ...gone.map(({ key }) => key)];
  const twice = all.find((key, at) => all.indexOf(key) !== at);
  if (twice !== undefined) {
    throw bad(`"${cutText(twice, 100)}" is named more than once`);
  }
  for (const { key, reason } of gone) {
    if (key === "") throw bad("each dead item needs its key");
    if (DEAD_REASONS.some((one) => one === reason)) continue;
    throw bad(
      `the reason for ${cutText(key, 100)} is "${
        cutText(reason, 100)
      }", and may be: ${
        DEAD_REASONS.join(", ")
      }. For any other reason a person takes it off`,
    );
  }
  return { count: count ?? 0, keys: names, dead: gone };
}

/** Most items that are taken off in a pull. */
const MAX_DEAD = 100;

function bad(what: string): FleetRefusalError {
  return new FleetRefusalError("bad_argument", what);
}
