/**
 * The end of a session, and its return.
 *
 * @module
 */
import {
  countMessages,
  findOpenTurn,
  listMessages,
  type OpenTurn,
  type Session,
} from "../../store/sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { cancelTreeRemoval } from "../../store/turns/mod.ts";
import { type FleetCaller, UNRESTRICTED } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { change } from "./transition.ts";
import { withSession } from "./with_session.ts";

/** How a session is archived. */
export interface ArchiveOptions {
  /** Also over messages still to be said and another's turn. */
  readonly isForced?: boolean | undefined;
  /** Who says so of itself, for the log. */
  readonly actingSessionId?: number | undefined;
}

/** Messages that a refusal names. */
const MAX_NAMED = 20;
const MAX_PREVIEW_CHARACTERS = 160;

/**
 * Archives a session and ends its token. Archiving twice changes nothing.
 *
 * @throws {FleetRefusalError} `not_found`; `conflict` where messages are still
 * to be said or another's turn is under way, unless it is forced.
 */
export async function archiveSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  id: number,
  options: ArchiveOptions = {},
  caller: FleetCaller = UNRESTRICTED,
): Promise<Session> {
  const target = { id, act: "archiving it" };
  return await withSession(fleet, caller, target, async (tx, session) => {
    if (session.status === "archived") return session;
    const open = await findOpenTurn(tx, id);
    if (options.isForced !== true) {
      await assertNothingToSay(tx, session);
      assertNoForeignTurn(session, open, caller);
    }
    const { actingSessionId } = options;
    const by = actingSessionId === undefined
      ? "nobody said who"
      : actingSessionId === id
      ? "by itself"
      : `by session ${actingSessionId}`;
    return await change(tx, session, "archive", {
      note: `${by}${options.isForced === true ? ", forced" : ""}`,
    });
  });
}

/**
 * Brings a session back to where it stood. What was retired stays retired, and
 * its token stays void.
 *
 * @throws {FleetRefusalError} `not_found`, or `wrong_state`: it is not archived.
 */
export async function unarchiveSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  id: number,
  caller: FleetCaller = UNRESTRICTED,
): Promise<Session> {
  const target = { id, act: "bringing it back" };
  return await withSession(fleet, caller, target, bringBack);
}

/** The same within a transaction that holds the lock. */
export async function bringBack(
  tx: Transaction,
  session: Session,
): Promise<Session> {
  const open = await findOpenTurn(tx, session.id);
  if (session.status === "archived" && open !== undefined) {
    throw new FleetRefusalError(
      "conflict",
      `The last turn of session ${session.id} is still being ended; try again in a few seconds. Nothing was changed`,
    );
  }
  await cancelTreeRemoval(tx, session.id);
  const to = session.metadata.archived_from === "failed"
    ? "failed"
    : session.leaseNo > 0
    ? "needs_input"
    : "waiting";
  return await change(tx, session, "unarchive", {
    to,
    waitReason: to === "waiting" ? "never_started" : undefined,
    failureReason: to === "failed"
      ? session.failureReason ?? undefined
      : undefined,
  });
}

async function assertNothingToSay(
  tx: Transaction,
  session: Session,
): Promise<void> {
  const { pending } = await countMessages(tx, session.id);
  if (pending === 0) return;
  const messages = await listMessages(tx, session.id, {
    status: "pending",
    characters: MAX_PREVIEW_CHARACTERS,
    limit: MAX_NAMED,
  });
  const more = pending - messages.length;
  throw new FleetRefusalError(
    "conflict",
    `Session ${session.id} has ${pending} message(s) still to be said: ${
      messages.map(({ position, content, characters }) =>
        `${position}. "${content.replaceAll(/\s+/g, " ")}${
          characters > MAX_PREVIEW_CHARACTERS ? "…" : ""
        }"`
      ).join("; ")
    }${
      more > 0 ? `; and ${more} more` : ""
    }. Read or delete them, or pass force: true to retire them. Nothing was changed`,
  );
}

/** A session may end its own turn; another's needs to be forced. */
function assertNoForeignTurn(
  session: Session,
  open: OpenTurn | undefined,
  caller: FleetCaller,
): void {
  if (open === undefined || open.phase === "queued") return;
  if (caller.sessionId === session.id) return;
  throw new FleetRefusalError(
    "conflict",
    `Turn ${open.ordinal} of session ${session.id} is under way, and archiving would end it. Wait until it rests, or pass force: true. Nothing was changed`,
  );
}
