/**
 * What a runner reports of a turn under way: beats, events, its end.
 *
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import { lockSession, type Session } from "../../store/sessions/mod.ts";
import {
  appendEvents,
  listOpenCommands,
  lockTurn,
  noteConversation,
  notePhase,
  renewLease,
  type Runner,
  touchRunner,
  type TurnRow,
} from "../../store/turns/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { readableText, storable } from "./event_text.ts";
import type {
  BeatAnswer,
  BeatRequest,
  EndAnswer,
  EndRequest,
  EventsAnswer,
  EventsRequest,
  ReleaseRequest,
  TurnOrders,
} from "./protocol.ts";
import { noteLoginOf } from "./login.ts";
import { readNow } from "./now.ts";
import { settle } from "./settle.ts";
import { takeSummaryEvents } from "./summary.ts";
import type { Turns } from "./turns.ts";
import { noteUsage } from "./usage.ts";

/** Whose report it is. */
export interface Reporter {
  /** The runner. */
  readonly runner: Runner;
  /** The turn. */
  readonly turnId: number;
}

/** A beat: renews the lease. @throws {FleetRefusalError} `lease_lost` */
export async function beatTurn(
  { store, durations }: Turns,
  { runner, turnId }: Reporter,
  request: BeatRequest,
): Promise<BeatAnswer> {
  const db = await store.db();
  const renewed = await renewLease(db, turnId, {
    runnerId: runner.id,
    leaseNo: request.lease_no,
    leaseMs: durations.lease_ms,
  });
  if (renewed === undefined) throw leaseLost(turnId);
  await touchRunner(db, runner.id);
  return {
    commands: await listOpenCommands(db, turnId),
    has_called_mcp: renewed.hasCalledMcp,
  };
}

/** Waits for commands of a turn. @throws {FleetRefusalError} `lease_lost` */
export async function waitForCommands(
  { store, durations, watch }: Turns,
  { runner, turnId }: Reporter,
  { leaseNo, waitMs, signal }: {
    readonly leaseNo: number;
    readonly waitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<TurnOrders> {
  const db = await store.db();
  const deadline = performance.now() + Math.min(waitMs, durations.poll_ms);
  for (;;) {
    signal.throwIfAborted();
    const [held] = await db.read(
      `select 1 as one from turns where id = $1 and runner_id = $2
       and lease_no = $3 and phase in ('leased', 'spawned', 'delivered')`,
      [turnId, runner.id, leaseNo],
    );
    if (held === undefined) throw leaseLost(turnId);
    const commands = await listOpenCommands(db, turnId);
    const rest = deadline - performance.now();
    if (commands.length > 0 || rest <= 0) return { commands };
    await watch.wait(
      ({ commanded }) => commanded.includes(turnId),
      { ms: rest, signal },
    );
  }
}

/** Events. @throws {FleetRefusalError} `lease_lost` */
export async function takeEvents(
  turns: Turns,
  reporter: Reporter,
  { lease_no, events }: EventsRequest,
): Promise<EventsAnswer> {
  return await withTurn(turns, reporter, lease_no, async (tx, held) => {
    const { turn } = held;
    if (turn.phase === "ended") throw leaseLost(turn.id);
    const clean = events.map(({ seq, kind, payload, after_ms }) => {
      const kept = storable(payload);
      return {
        seq,
        kind,
        payload: { ...kept, after_ms },
        text: readableText(kind, kept),
      };
    });
    const isSummary = turn.kind === "summary";
    const next_seq = isSummary
      ? await takeSummaryEvents(tx, held, clean)
      : await appendEvents(tx, turn, clean);
    for (const { kind, payload, seq } of events) {
      if (seq < turn.nextSeq || seq >= next_seq) continue;
      if (kind === "spawned") {
        await notePhase(tx, turn.id, kind, storable(payload));
      }
      if (kind === "delivered") await notePhase(tx, turn.id, kind, null);
      const { conversation_id } = payload;
      if (kind === "conversation" && !isSummary && isName(conversation_id)) {
        await noteConversation(tx, turn, conversation_id);
      }
    }
    await renewLease(tx, turn.id, {
      runnerId: reporter.runner.id,
      leaseNo: lease_no,
      leaseMs: turns.durations.lease_ms,
    });
    return { next_seq };
  });
}

/**
 * The end of a turn; the same again gets the same answer.
 *
 * @throws {FleetRefusalError} `lease_lost`; `conflict` where events are missing.
 */
export async function endReportedTurn(
  turns: Turns,
  reporter: Reporter,
  request: EndRequest,
): Promise<EndAnswer> {
  const { runner } = reporter;
  const { lease_no, final_seq } = request;
  return await withTurn(
    turns,
    reporter,
    lease_no,
    async (tx, { session, turn }) => {
      if (turn.phase === "ended") {
        // Its runner may tell what a turn used that was given up meanwhile.
        const at = await readNow(tx);
        await noteUsage(tx, { session, turn, at }, { rows: request.usage });
        return answerOf(turn);
      }
      if (turn.nextSeq !== final_seq + 1) {
        throw new FleetRefusalError(
          "conflict",
          `Turn ${turn.id} has events up to ${
            turn.nextSeq - 1
          }, and its end names ${final_seq}; send the others first`,
        );
      }
      if (turn.kind !== "summary" && isName(request.conversation_id)) {
        await noteConversation(tx, turn, request.conversation_id);
      }
      await noteLoginOf(tx, { session, runner }, request);
      return await settle(tx, { session, turn, durations: turns.durations }, {
        outcome: request.outcome,
        class: request.class,
        detail: storable({ detail: request.detail }).detail as string,
        parkedMs: request.parked_ms,
        git: request.git,
        usage: request.usage,
        facts: {
          killed_leftovers: request.killed_leftovers,
          limits: request.limits,
        },
        commands: request.commands,
      });
    },
  );
}

/** Gives a turn back. @throws {FleetRefusalError} `lease_lost` */
export async function releaseTurn(
  turns: Turns,
  reporter: Reporter,
  { lease_no, detail }: ReleaseRequest,
): Promise<EndAnswer> {
  return await withTurn(
    turns,
    reporter,
    lease_no,
    async (tx, { session, turn }) => {
      if (turn.phase === "ended") return answerOf(turn);
      return await settle(tx, { session, turn, durations: turns.durations }, {
        outcome: "lost",
        class: "lost",
        detail,
        parkedMs: null,
        git: null,
        usage: [],
        facts: {},
        commands: [],
      });
    },
  );
}

/** Session and turn, locked in this order, and the lease checked. */
async function withTurn<T>(
  { store }: Turns,
  { runner, turnId }: Reporter,
  leaseNo: number,
  work: (
    tx: Transaction,
    held: { readonly session: Session; readonly turn: TurnRow },
  ) => Promise<T>,
): Promise<T> {
  const db = await store.db();
  return await db.transaction(async (tx) => {
    const [row] = await tx.read<{ session_id: string }>(
      "select session_id from turns where id = $1",
      [turnId],
    );
    const session = row === undefined
      ? undefined
      : await lockSession(tx, Number(row.session_id));
    const turn = await lockTurn(tx, turnId);
    if (
      session === undefined || turn === undefined ||
      turn.runnerId !== runner.id || turn.leaseNo !== leaseNo
    ) throw leaseLost(turnId);
    return await work(tx, { session, turn });
  });
}

function answerOf({ id, receipt }: TurnRow): EndAnswer {
  const answer = receipt?.answer;
  if (typeof answer !== "object" || answer === null) throw leaseLost(id);
  return answer as EndAnswer; // As settle() wrote it.
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 500 &&
    !value.includes("\u0000");
}

function leaseLost(turnId: number): FleetRefusalError {
  return new FleetRefusalError(
    "lease_lost",
    `The lease of turn ${turnId} is not this one any more: nothing was changed. End its agent`,
  );
}
