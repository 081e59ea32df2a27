/**
 * Gives a runner a turn: one transaction, after which the session runs.
 *
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  findMessage,
  findOpenTurn,
  forkPointOf,
  listMessages,
  lockSession,
  readSessionTexts,
  type Session,
  takeMessage,
  writeLog,
} from "../../store/sessions/mod.ts";
import {
  acknowledgeOrders,
  findLeasedByRequest,
  type LeasedRow,
  leaseTurn,
  listHeldTurns,
  listOrders,
  lockTurn,
  noteGoal,
  noteLease,
  pickSummary,
  pickTurn,
  readToldGoal,
  type Runner,
  touchRunner,
  type TurnRow,
} from "../../store/turns/mod.ts";
import { countRunningAlone } from "../../store/spot/mod.ts";
import { change } from "../sessions/transition.ts";
import { retractTurn } from "../sessions/offer.ts";
import { readAdmission } from "../spot/admission.ts";
import { accountOf, STANDARD_RUNTIME } from "./login.ts";
import { DueTurns } from "./due_turns.ts";
import { givenTo, NOTHING_GIVEN } from "./given.ts";
import { loseTurn } from "./lose.ts";
import type {
  LeaseAnswer,
  LeasedTurn,
  LeaseRequest,
  RunnerCommand,
  RunnerCommandReceipt,
} from "./protocol.ts";
import { SUMMARY_ORDER, summaryPrompt } from "./summary.ts";
import { TURN_TOKEN_GROUPS } from "./token_groups.ts";
import { recapOf, recoveryCause, systemTextOf } from "./system_text.ts";
import type { Turns } from "./turns.ts";

/** Without a call of it for so long, what lies with a runner is given up. */
const HOME_LOST_SECONDS = 600;
const STANDARD_MINUTES = 240;
const COMMAND_KINDS: readonly string[] = [
  "remove_tree",
  "save_bundle",
  "say_hello",
  "clean_up",
];

/** Waits for a turn, or something else to do, as long as was asked. */
export async function leaseForRunner(
  turns: Turns,
  runner: Runner,
  request: LeaseRequest,
  signal: AbortSignal,
): Promise<LeaseAnswer> {
  const { store, durations, watch } = turns;
  const db = await store.db();
  const requestHash = createHash("sha256").update(request.request_id)
    .digest("hex");
  await touchRunner(db, runner.id);
  await noteDone(db, runner, request.done_commands ?? []);
  for (const held of await listHeldTurns(db, runner.id)) {
    const isKnown = request.turns_here.includes(held.id) ||
      held.requestHash === requestHash;
    if (!isKnown) {
      await loseTurn(turns, held, "The runner came up anew without it");
    }
  }
  const limit = Math.min(request.wait_ms ?? 0, durations.poll_ms);
  const deadline = performance.now() + limit;
  const due = new DueTurns(() => performance.now());
  for (;;) {
    signal.throwIfAborted();
    const commands = (await listOrders(db, runner.id)).flatMap(toCommand);
    const leased = await leaseOnce(turns, runner, request, requestHash);
    const turn = leased === null || leased.kind === "summary"
      ? leased
      : { ...leased, ...await givenTo(turns, leased.session_id) };
    const rest = deadline - performance.now();
    if (turn !== null || commands.length > 0 || rest <= 0) {
      return { turn, commands, is_draining: runner.isDraining };
    }
    await watch.wait(
      ({ newestDue, ordered, answered }) =>
        (request.slots > 0 && !runner.isDraining &&
          due.isWorthTrying(newestDue)) ||
        ordered.includes(runner.id) ||
        // The same request, asked before by a connection that was lost.
        answered.includes(requestHash),
      { ms: rest, signal },
    );
  }
}

/** What runners did beside turns; sessions are told what became of theirs. */
async function noteDone(
  db: Db,
  runner: Runner,
  receipts: readonly RunnerCommandReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  await db.transaction(async (tx) => {
    const done = await acknowledgeOrders(
      tx,
      runner.id,
      receipts.map(({ id, ok, detail }) => ({ id, result: { ok, detail } })),
    );
    for (const { kind, sessionId, detail } of done) {
      if (sessionId === null) continue;
      const text = `Runner ${runner.id}, ${kind}: ${detail}`.slice(0, 1_000);
      await writeLog(tx, sessionId, text.toWellFormed());
    }
  });
}

async function leaseOnce(
  turns: Turns,
  runner: Runner,
  request: LeaseRequest,
  requestHash: string,
): Promise<LeasedTurn | null> {
  const catalog = await turns.catalog.current();
  const db = await turns.store.db();
  const { lanes, ceiling } = await readAdmission(turns);
  return await db.transaction(async (tx) => {
    const token = (id: number) =>
      `rct_${id}_${
        createHash("sha256").update(`turn ${id} of ${request.request_id}`)
          .digest("base64url")
      }`;
    const known = await findLeasedByRequest(tx, runner.id, requestHash);
    if (known !== undefined) {
      const session = await lockSession(tx, known.sessionId);
      return session === undefined ? null : await orderOf(tx, catalog, {
        session,
        turn: known,
        token: token(known.id),
        isHome: true,
      });
    }
    if (request.slots < 1 || runner.isDraining) return null;
    const give: GiveTurn = async (session, turn, lease) => {
      const { leaseNo, prompt, messageId, goal, isHome } = lease;
      await leaseTurn(tx, turn, {
        runnerId: runner.id,
        leaseNo,
        leaseMs: turns.durations.lease_ms,
        requestHash,
        tokenHash: createHash("sha256").update(token(turn.id)).digest("hex"),
        prompt,
        messageId,
        goal,
      });
      return await orderOf(tx, catalog, {
        session,
        turn: { ...turn, leaseNo, prompt },
        token: token(turn.id),
        isHome,
      });
    };
    const pick = await pickTurn(tx, {
      runnerId: runner.id,
      runtimes: request.runtimes,
      standardRuntime: STANDARD_RUNTIME,
      homeLostSeconds: HOME_LOST_SECONDS,
      account: accountOf(runner),
      lanes,
    });
    if (pick === undefined) {
      return await leaseSummary(tx, runner, request, give);
    }
    // Of several that read the same figures, one gets the last place.
    if (
      pick.isSpot && ceiling !== undefined &&
      await countRunningAlone(tx) >= ceiling
    ) return null;
    const session = await lockSession(tx, pick.sessionId);
    const turn = await lockTurn(tx, pick.turnId);
    if (session === undefined || turn?.phase !== "queued") return null;
    const said = await whatToSay(tx, session, turn);
    if (said === undefined) {
      // Its message was deleted while it waited.
      const open = await findOpenTurn(tx, session.id);
      if (open !== undefined) {
        await retractTurn(tx, session, open, "nothing is left to be said");
      }
      return null;
    }
    const leaseNo = session.leaseNo + 1;
    await change(tx, session, "lease", { note: `turn ${turn.ordinal}` });
    await noteLease(tx, session.id, { leaseNo, runnerId: runner.id });
    return await give(session, turn, {
      ...said,
      ...await withGoal(tx, session, said.prompt),
      leaseNo,
      isHome: session.homeRunnerId === null ||
        session.homeRunnerId === runner.id,
    });
  });
}

/** Leases a turn that was chosen, and makes the order of it. */
type GiveTurn = (
  session: Session,
  turn: TurnRow,
  lease: Pick<LeasedRow, "leaseNo" | "prompt" | "messageId" | "goal"> & {
    /** Whether conversation and tree lie with this runner. */
    readonly isHome: boolean;
  },
) => Promise<LeasedTurn>;

/** A summary that was asked for, where nothing else is to be done. */
async function leaseSummary(
  tx: Transaction,
  runner: Runner,
  { runtimes }: LeaseRequest,
  give: GiveTurn,
): Promise<LeasedTurn | null> {
  const pick = await pickSummary(tx, {
    runtimes,
    standardRuntime: STANDARD_RUNTIME,
    account: accountOf(runner),
  });
  if (pick === undefined) return null;
  const session = await lockSession(tx, pick.sessionId);
  const turn = await lockTurn(tx, pick.turnId);
  if (session === undefined || turn?.phase !== "queued") return null;
  return await give(session, turn, {
    // Its lease is its own: the session may have one at the same time.
    leaseNo: 1,
    prompt: await summaryPrompt(tx, session),
    messageId: null,
    goal: null,
    isHome: false,
  });
}

/** The text of a turn, and the message that it comes from. */
async function whatToSay(
  tx: Transaction,
  session: Session,
  turn: TurnRow,
): Promise<
  { readonly prompt: string; readonly messageId: number | null } | undefined
> {
  if (turn.prompt !== null) {
    const message = turn.messageId === null
      ? undefined
      : await findMessage(tx, session.id, turn.messageId);
    if (message?.status === "pending") await takeMessage(tx, message);
    return { prompt: turn.prompt, messageId: turn.messageId };
  }
  if (turn.kind === "start") {
    const { prompt } = await readSessionTexts(tx, session.id) ?? {};
    if (prompt !== null && prompt !== undefined) {
      return { prompt, messageId: null };
    }
  }
  const message = turn.messageId === null
    ? (await listMessages(tx, session.id, { status: "pending", limit: 1 }))[0]
    : await findMessage(tx, session.id, turn.messageId);
  if (message?.status !== "pending") return undefined;
  await takeMessage(tx, message);
  if (message.goal === null) {
    return { prompt: message.content, messageId: message.id };
  }
  await noteGoal(tx, session.id, message.goal);
  return {
    prompt: `${message.content}${goalLine(message.goal)}`,
    messageId: message.id,
  };
}

/**
 * The text with a goal that is not the one that the agent was told last: its
 * first system text stays what it was, so the conversation says it.
 */
async function withGoal(
  tx: Transaction,
  session: Session,
  prompt: string,
): Promise<Pick<LeasedRow, "prompt" | "goal">> {
  const { goal = null } = await readSessionTexts(tx, session.id) ?? {};
  const told = await readToldGoal(tx, session.id);
  const line = goalLine(goal);
  const isKnown = told === undefined || told === goal || prompt.endsWith(line);
  return { goal, prompt: isKnown ? prompt : `${prompt}${line}` };
}

function goalLine(goal: string | null): string {
  return goal === null
    ? "\n\nYou have no goal any more."
    : `\n\nYour goal from now on: ${goal}`;
}

async function orderOf(
  tx: Transaction,
  catalog: Awaited<ReturnType<Turns["catalog"]["current"]>>,
  { session, turn, token, isHome }: {
    readonly session: Session;
    readonly turn: TurnRow;
    readonly token: string;
    /** Whether conversation and tree lie with this runner. */
    readonly isHome: boolean;
  },
): Promise<LeasedTurn> {
  const { agentRootKey, config, id } = session;
  const root = agentRootKey === null
    ? undefined
    : catalog.findRoot(agentRootKey);
  const texts = await readSessionTexts(tx, id);
  const groups = session.toolGroups ?? TURN_TOKEN_GROUPS;
  const { model } = config;
  const runtime = session.agentRuntime ?? STANDARD_RUNTIME;
  const fork = forkPointOf(session);
  const order: LeasedTurn = {
    turn_id: turn.id,
    session_id: id,
    ordinal: turn.ordinal,
    kind: turn.kind,
    lease_no: turn.leaseNo ?? session.leaseNo,
    token,
    mcp_path: `/mcp?session_id=${id}&tool_groups=${groups.join(",")}`,
    prompt: turn.prompt ?? "",
    system_text: systemTextOf({ session, goal: texts?.goal ?? null }),
    conversation_id: isHome ? session.conversationId : null,
    recap: await recapOf(tx, session),
    runtime,
    model: typeof model === "string" ? model : null,
    command: root?.command ?? null,
    is_trusted: !/^https?:/.test(root?.source ?? ""),
    permission: root?.permission ?? "all",
    max_turn_ms: (root?.maxTurnMinutes ?? STANDARD_MINUTES) * 60_000,
    tree: {
      url: session.gitRoot,
      branch: session.branch,
      subdirectory: session.subdirectory,
      fork: fork === undefined || fork.commit === null
        ? null
        : { commit: fork.commit, session_id: fork.sessionId },
    },
    ...NOTHING_GIVEN,
    cause: turn.kind === "recovery" && turn.detail !== null
      ? recoveryCause(turn.detail)
      : null,
  };
  return turn.kind === "summary" ? { ...order, ...SUMMARY_ORDER } : order;
}

function toCommand(order: {
  readonly id: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}): RunnerCommand[] {
  const { id, kind, payload } = order;
  if (!COMMAND_KINDS.includes(kind)) return [];
  const session = payload.session_id;
  return [{
    id,
    kind: kind as RunnerCommand["kind"], // Checked in the line above.
    session_id: typeof session === "number" ? session : null,
  }];
}
