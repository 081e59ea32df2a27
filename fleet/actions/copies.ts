/**
 * Sessions made of others, and what is read of them anew: forks, summaries,
 * refreshes.
 *
 * @module
 */
import {
  insertSession,
  insertTurn,
  listSaidTurns,
  readSessionTexts,
  type SaidTurn,
  type Session,
  type StartedSession,
  writeLog,
} from "../../store/sessions/mod.ts";
import { SUMMARY_PATIENCE_SECONDS } from "../../store/turns/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { withSession } from "../sessions/with_session.ts";
import type { Fleet } from "../fleet.ts";
import { drain } from "../sessions/offer.ts";
import { clampPrecedence } from "../sessions/scheduling.ts";
import { assertRange } from "../sessions/texts.ts";
import { TRANSITIONS } from "../sessions/states.ts";
import { restart } from "./turns.ts";

/** Up to where a talk is forked; all of it without. */
export type ForkEnd = {
  /** Counts what was said to the session, from 0. */
  readonly messageIndex: number;
} | {
  /** A turn in which something was said. */
  readonly turnId: number;
};

/**
 * Makes a session of another's repository, settings and talk up to a message:
 * its agent begins with a recap of that talk, at the commit that the tree was
 * at. It waits for a message of its own.
 *
 * @throws {FleetRefusalError} `fenced`, or its talk has no such message.
 */
export async function forkSession(
  fleet: Pick<Fleet, "store" | "catalog">,
  caller: FleetCaller,
  id: number,
  end?: ForkEnd,
): Promise<StartedSession> {
  if (end !== undefined && "messageIndex" in end) {
    assertRange(end.messageIndex, "message_index", [0, 1_000_000]);
  }
  return await withSession(
    fleet,
    caller,
    { id, act: "forking it", isOwnFenced: true },
    async (tx, source) => {
      const last = lastOf(id, await listSaidTurns(tx, id), end);
      const texts = await readSessionTexts(tx, id);
      const fork = await insertSession(tx, {
        ...source,
        status: TRANSITIONS.register.to[0],
        waitReason: "never_started",
        title: `Fork of ${source.title}`.slice(0, 100),
        slug: undefined,
        goal: texts?.goal ?? undefined,
        agentRuntime: source.agentRuntime ?? undefined,
        gitRoot: source.gitRoot ?? undefined,
        repositoryName: source.repositoryName ?? undefined,
        branch: source.branch ?? undefined,
        subdirectory: source.subdirectory ?? undefined,
        schedulingClass: source.schedulingClass ?? undefined,
        toolGroups: source.toolGroups ?? undefined,
        allowedAgentRoots: source.allowedAgentRoots ?? undefined,
        parentSessionId: id,
        precedence: clampPrecedence(source.precedence + 1),
        metadata: {
          forked_from: {
            session_id: id,
            message_index: last?.index ?? 0,
            ...(last === undefined
              ? {}
              : { turn: last.turn, commit: last.commit }),
          },
        },
        withToken: false,
      });
      if (fork === undefined) {
        throw new RangeError("A fork has no slug or key");
      }
      await writeLog(
        tx,
        id,
        `Forked as session ${fork.session.id}${
          last === undefined ? "" : `, after turn ${last.turn}`
        }`,
      );
      return fork;
    },
  );
}

/** The last turn of a fork's talk; undefined where nothing was said at all. */
function lastOf(
  id: number,
  said: readonly SaidTurn[],
  end: ForkEnd | undefined,
): SaidTurn | undefined {
  if (end === undefined) return said.at(-1);
  if ("turnId" in end) {
    const found = said.find((one) => one.turnId === end.turnId);
    if (found !== undefined) return found;
    throw new FleetRefusalError(
      "bad_argument",
      `Session ${id} has no turn ${end.turnId} in which something was said to its agent yet: fork it after an earlier one. Nothing was changed`,
    );
  }
  // What nothing was said to yet is forked as it stands.
  if (end.messageIndex < Math.max(said.length, 1)) {
    return said[end.messageIndex];
  }
  throw new FleetRefusalError(
    "bad_argument",
    `message_index counts what was said to session ${id} from 0; it has ${said.length} such message(s). Nothing was changed`,
  );
}

/** What became of a wish for a summary. */
export type SummaryWish = "queued" | "under_way";

/**
 * Asks for a new status summary, made on a conversation of its own.
 *
 * @throws {FleetRefusalError} `fenced`, or there is no transcript to sum up.
 */
export async function regenerateSummary(
  fleet: Pick<Fleet, "store" | "catalog">,
  caller: FleetCaller,
  id: number,
): Promise<SummaryWish> {
  return await withSession(
    fleet,
    caller,
    { id, act: "summing it up", isOwnFenced: true },
    async (tx) => {
      const events = await tx.read(
        "select 1 from turn_events where session_id = $1 limit 1",
        [id],
      );
      if (events.length === 0) {
        throw new FleetRefusalError(
          "wrong_state",
          `Session ${id} has no transcript yet, so there is nothing to sum up. Nothing was changed`,
        );
      }
      const asked = await tx.write(
        `insert into session_status_summaries (session_id, state, requested_at)
         values ($1, 'pending', now())
         on conflict (session_id) do update
           set state = 'pending', requested_at = now(), error = null, updated_at = now()
           where session_status_summaries.state <> 'pending'
             or session_status_summaries.requested_at <
               now() - ${SUMMARY_PATIENCE_SECONDS} * interval '1 second'
         returning 1`,
        [id],
      );
      if (asked.length === 0) return "under_way";
      await tx.write(
        `update turns set phase = 'ended', ended_at = clock_timestamp(),
           outcome = 'cancelled', detail = 'asked for anew'
         where session_id = $1 and kind = 'summary' and phase = 'queued'`,
        [id],
      );
      const turn = await insertTurn(tx, id, { kind: "summary" });
      await tx.write(
        "update session_status_summaries set turn_id = $2 where session_id = $1",
        [id, turn.id],
      );
      return "queued";
    },
  );
}

/**
 * Asks the runner that has a session's tree to read it anew. What is stored of
 * its transcript never shrinks by that.
 *
 * @throws {FleetRefusalError} No runner has anything of it.
 */
export async function refreshSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Session> {
  return await withSession(
    fleet,
    caller,
    { id, act: "reading it anew" },
    async (tx, session) => {
      if (session.homeRunnerId === null) {
        throw new FleetRefusalError(
          "wrong_state",
          `No runner has anything of session ${id}: it never ran. Nothing was changed`,
        );
      }
      await tx.write(
        `insert into runner_commands (runner_id, kind, payload)
       values ($1, 'refresh', jsonb_build_object('session_id', $2::bigint))`,
        [session.homeRunnerId, id],
      );
      return session;
    },
  );
}

/** What a refresh of all did. */
export interface RefreshedAll {
  /** Sessions that failed and were started anew. */
  readonly restarted: readonly number[];
  /** Sessions that had something to be said, and go on. */
  readonly continued: readonly number[];
  /** Sessions that could not, each with the reason. */
  readonly skipped: readonly { readonly id: number; readonly why: string }[];
}

const MAX_REFRESHED = 50;

/**
 * Takes sessions up again that failed, or that rest over messages: 50 at most,
 * none that a person paused, none of a frozen category.
 */
export async function refreshAll(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
): Promise<RefreshedAll> {
  const db = await fleet.store.db();
  const rows = await db.read<{ id: string }>(
    `select s.id from sessions s left join categories c on c.id = s.category_id
     where s.driven_by = 'runner' and c.is_frozen is not true and s.paused_by is null
       and (s.status = 'failed' or (s.status = 'needs_input' and exists (
         select from enqueued_messages m where m.session_id = s.id and m.status = 'pending')))
     order by s.state_since limit ${MAX_REFRESHED}`,
  );
  const restarted: number[] = [];
  const continued: number[] = [];
  const skipped: { id: number; why: string }[] = [];
  for (const { id } of rows) {
    const number = Number(id);
    try {
      const target = { id: number, act: "taking it up again" };
      await withSession(fleet, caller, target, async (tx, session) => {
        if (session.status === "failed") {
          await restart(tx, session);
          restarted.push(number);
        } else if (await drain(tx, session) !== undefined) {
          continued.push(number);
        }
      });
    } catch (error) {
      if (!(error instanceof FleetRefusalError)) throw error;
      skipped.push({ id: number, why: error.message });
    }
  }
  return { restarted, continued, skipped };
}
