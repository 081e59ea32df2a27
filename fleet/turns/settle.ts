/**
 * What follows the end of a turn, whoever reports it: its message, the next
 * attempt, the session's state, in the caller's transaction.
 *
 * Specification: docs/spec/runner.md section 3.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  deleteMessage,
  findMessage,
  insertMessage,
  moveMessage,
  type QueuedMessage,
  returnMessage,
  type Session,
} from "../../store/sessions/mod.ts";
import {
  answerCommands,
  endTurn,
  listOpenCommands,
  type TurnRow,
} from "../../store/turns/mod.ts";
import { settleTurn, type TurnEnd } from "../sessions/offer.ts";
import { storable } from "./event_text.ts";
import { STANDARD_PARK_MS } from "./login.ts";
import { readNow } from "./now.ts";
import type {
  EndAnswer,
  FailureClass,
  GitReport,
  TurnCommandReceipt,
  TurnDurations,
  TurnOutcome,
  UsageReport,
} from "./protocol.ts";
import { settleSummary } from "./summary.ts";
import { noteUsage } from "./usage.ts";

/** How a turn ended, as it is reported or found out. */
export interface TurnReport {
  /** How. */
  readonly outcome: TurnOutcome;
  /** Why not well. */
  readonly class: FailureClass | null;
  /** The same for people. */
  readonly detail: string;
  /** How long it is parked. */
  readonly parkedMs: number | null;
  /** What is in its tree. */
  readonly git: GitReport | null;
  /** What it used, as far as anybody tells. */
  readonly usage: readonly UsageReport[];
  /** What else is kept with its receipt. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Commands that were carried out. */
  readonly commands: readonly TurnCommandReceipt[];
}

/** Classes that another attempt may help. */
const RETRIED: readonly (FailureClass | null)[] = [
  "overloaded",
  "hung",
  "crashed",
  "lost",
];

/** Ends a turn. The caller has locked session and turn. */
export async function settle(
  tx: Transaction,
  { session, turn, durations }: {
    readonly session: Session;
    readonly turn: TurnRow;
    readonly durations: TurnDurations;
  },
  report: TurnReport,
): Promise<EndAnswer> {
  if (turn.kind === "summary") {
    return await settleSummary(tx, { session, turn }, report);
  }
  const message = turn.messageId === null
    ? undefined
    : await findMessage(tx, session.id, turn.messageId);
  const isDelivered = turn.phase === "delivered";
  const at = await readNow(tx);
  const next = decide(turn, report, { durations, now: at.getTime() });
  const orders = await listOpenCommands(tx, turn.id);
  await answerCommands(tx, turn.id, {
    results: new Map(report.commands.map(({ id, how, after_ms }) => [
      id,
      how === "void"
        ? "The turn had ended by itself"
        : `The agent ${
          how === "asked" ? "stopped when asked" : `was ${how}`
        } after ${after_ms} ms`,
    ])),
    rest: "The turn ended before it was heard",
  });
  const receipt = storable({
    ...report.facts,
    usage: report.usage,
    outcome: report.outcome,
    class: report.class,
  });
  await endTurn(tx, turn.id, {
    outcome: report.outcome,
    class: report.class,
    detail: report.detail,
    receipt,
    git: report.git === null
      ? null
      : { before: { head: report.git.before }, after: report.git },
  });
  const isInterrupt = orders.some(({ kind }) => kind === "interrupt");
  const keptMessage = await placeMessage(tx, { session, turn, message }, {
    isDelivered,
    isRetried: next.kind === "retry",
    isSecond: report.outcome === "interrupted" && isInterrupt,
  });
  const end = next.kind === "retry"
    ? { ...next, turn: nextTurn(turn, next, keptMessage) }
    : next;
  const settled = await settleTurn(tx, session, end);
  const answer: EndAnswer = {
    session_status: settled.session.status,
    next: settled.next === undefined
      ? settled.session.status === "failed" ? "failed" : "rests"
      : next.kind === "retry"
      ? next.waitReason === "parked" ? "parked" : "retry"
      : "next_message",
  };
  if (settled.next?.kind === "recovery") {
    const why = `${report.class}: ${report.detail}`;
    await tx.write("update turns set detail = left($2, 500) where id = $1", [
      settled.next.id,
      why,
    ]);
  }
  await tx.write(
    `update turns set receipt = receipt || $2::text::jsonb where id = $1`,
    [turn.id, JSON.stringify({ answer })],
  );
  // Last: turns of a root that end at once wait for each other here.
  await noteUsage(tx, { session, turn, at }, {
    rows: report.usage,
    isLost: report.outcome === "lost",
  });
  return answer;
}

/** A retry whose turn is still to be made. */
type Retry = Omit<Extract<TurnEnd, { readonly kind: "retry" }>, "turn"> & {
  readonly attempt: number;
};
type Decision = Exclude<TurnEnd, { readonly kind: "retry" }> | Retry;

function decide(
  turn: TurnRow,
  { outcome, class: kind, detail, parkedMs }: TurnReport,
  { durations, now }: {
    readonly durations: TurnDurations;
    /** The database's clock, in milliseconds. */
    readonly now: number;
  },
): Decision {
  if (outcome === "done" || outcome === "interrupted") {
    return { kind: "done", note: `turn ${turn.ordinal} ${outcome}` };
  }
  if (outcome === "parked" || kind === "usage_limit") {
    return {
      kind: "retry",
      waitReason: "parked",
      waitUntil: new Date(now + (parkedMs ?? STANDARD_PARK_MS)),
      attempt: turn.attempt,
      note: detail,
    };
  }
  const pauseMs = durations.retry_ms[turn.attempt - 1];
  if (RETRIED.includes(kind) && pauseMs !== undefined) {
    return {
      kind: "retry",
      waitReason: "retrying",
      waitUntil: new Date(now + pauseMs),
      attempt: turn.attempt + 1,
      note: `${kind}: ${detail}`.slice(0, 500),
    };
  }
  return { kind: "failed", reason: `${kind}: ${detail}`.slice(0, 1_000) };
}

/**
 * Where the message of a turn is now: gone when the turn had its end, kept for
 * a recovery, or back in its place when no agent has seen it.
 */
async function placeMessage(
  tx: Transaction,
  { session, turn, message }: {
    readonly session: Session;
    readonly turn: TurnRow;
    readonly message: QueuedMessage | undefined;
  },
  { isDelivered, isRetried, isSecond }: {
    readonly isDelivered: boolean;
    readonly isRetried: boolean;
    /** Whether another message goes before it. */
    readonly isSecond: boolean;
  },
): Promise<QueuedMessage | undefined> {
  if (isDelivered) {
    if (isRetried || message?.status !== "processing") return message;
    await deleteMessage(tx, message);
    return undefined;
  }
  if (message?.status === "processing") {
    await returnMessage(tx, message);
    if (isSecond) await moveMessage(tx, { ...message, position: 1 }, 2);
    return message;
  }
  const isLost = message === undefined && !isRetried && turn.kind === "start" &&
    turn.prompt !== null && session.status !== "archived";
  if (!isLost) return message;
  // What the session was started with has not been said: it is not forgotten.
  const kept = await insertMessage(tx, session.id, {
    content: turn.prompt,
    isFirst: true,
  });
  if (isSecond) await moveMessage(tx, kept, 2);
  return kept;
}

function nextTurn(
  turn: TurnRow,
  retry: Retry,
  message: QueuedMessage | undefined,
): Extract<TurnEnd, { readonly kind: "retry" }>["turn"] {
  const isRecovery = turn.phase === "delivered" || turn.kind === "recovery";
  return {
    kind: isRecovery ? "recovery" : turn.kind,
    messageId: message?.id,
    prompt: isRecovery || message === undefined
      ? turn.prompt ?? undefined
      : undefined,
    notBefore: retry.waitUntil,
    attempt: retry.attempt,
  };
}
