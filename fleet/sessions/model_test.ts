/**
 * Random sequences of actions on a family of sessions, by two servers in turn
 * and at once, against a plain model of what they say.
 */
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Db } from "../../store/pg/mod.ts";
import {
  findOpenTurn,
  findSession,
  listMessages,
} from "../../store/sessions/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import {
  parkSession,
  pauseSession,
  restartSession,
  startNow,
} from "../actions/turns.ts";
import { UNRESTRICTED } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { followUp } from "../queue/deliver.ts";
import {
  createMessage,
  interruptWith,
  removeMessage,
  reorderMessage,
  sendNow,
} from "../queue/manage.ts";
import { tellState } from "../wakes/fire.ts";
import { archiveSession, unarchiveSession } from "./archive.ts";
import { startSession } from "./start.ts";
import { classOf } from "./scheduling.ts";

const ACTS = [
  "follow_up",
  "force",
  "create",
  "send_now",
  "interrupt",
  "delete",
  "reorder",
  "pause",
  "park",
  "start_now",
  "restart",
  "archive",
  "archive_force",
  "unarchive",
  "lease",
  "end",
  "break",
  "tell",
] as const;

interface Step {
  readonly act: typeof ACTS[number];
  readonly who: number;
  readonly by: number;
  readonly at: number;
  readonly server: number;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    fc.constantFrom(...ACTS),
    // What moves a session on is what most others wait for.
    fc.constantFrom("lease" as const, "end" as const, "create" as const),
  ),
  who: fc.nat(2),
  by: fc.nat(3),
  at: fc.nat(4),
  server: fc.nat(1),
});

/** A session as anybody would write it down. */
interface Plain {
  status: string;
  wait: string | null;
  paused: boolean;
  sleeps: boolean;
  queue: string[];
  carried: string | null;
  turn: "none" | "queued" | "leased";
  kind: "start" | "message" | "recovery";
  aim: string | null;
  ran: boolean;
  failedBefore: boolean;
  notices: { type: string; stale: boolean; state: number }[];
  changes: number;
}

function fresh(): Plain {
  return {
    status: "waiting",
    wait: "queued",
    paused: false,
    sleeps: false,
    queue: [],
    carried: null,
    turn: "queued",
    kind: "start",
    aim: null,
    ran: false,
    failedBefore: false,
    notices: [],
    changes: 1,
  };
}

class Refused extends Error {}

function move(one: Plain, status: string, wait: string | null = null): void {
  one.status = status;
  one.wait = wait;
  one.paused = false;
  one.sleeps = false;
  one.changes++;
}

function offer(one: Plain, kind: Plain["kind"], aim: string | null): void {
  move(one, "waiting", "queued");
  for (const notice of one.notices) notice.stale = true;
  one.turn = "queued";
  one.kind = kind;
  one.aim = aim;
}

function drainPlain(one: Plain): void {
  const isIdle = one.status === "needs_input" ||
    (one.status === "waiting" && one.turn === "none" &&
      one.wait === "never_started");
  if (isIdle && !one.paused && one.queue.length > 0) {
    offer(one, "message", null);
  }
}

function pushPlain(one: Plain, name: string): void {
  one.queue = [name, ...one.queue.filter((other) => other !== name)];
  if (one.turn === "none") offer(one, "message", name);
  else if (one.turn === "queued" && one.kind === "message") one.aim = name;
}

/** What a step does to the model. @throws {Refused} */
function play(family: readonly Plain[], step: Step, name: string): void {
  const one = family[step.who] as Plain;
  const picked = one.queue[step.at % Math.max(1, one.queue.length)];
  const needs = (holds: boolean) => {
    if (!holds) throw new Refused();
  };
  const isOver = one.status === "failed" || one.status === "archived";
  switch (step.act) {
    case "follow_up":
    case "force":
    case "send_now":
      needs(!isOver);
      one.paused = false;
      if (step.act !== "follow_up" || one.turn === "none") pushPlain(one, name);
      else one.queue.push(name);
      return;
    case "create":
      needs(one.status !== "archived");
      one.queue.push(name);
      return drainPlain(one);
    case "interrupt":
      needs(picked !== undefined && !isOver);
      one.paused = false;
      return pushPlain(one, String(picked));
    case "delete":
      needs(picked !== undefined);
      one.queue = one.queue.filter((other) => other !== picked);
      if (one.turn !== "queued" || one.kind !== "message") return;
      if (one.queue.length > 0) {
        if (one.aim === picked) one.aim = null;
        return;
      }
      one.turn = "none";
      return one.ran
        ? move(one, "needs_input")
        : move(one, "waiting", "never_started");
    case "reorder": {
      needs(picked !== undefined);
      const rest = one.queue.filter((other) => other !== picked);
      rest.splice(Math.min(step.by, rest.length), 0, String(picked));
      one.queue = rest;
      if (one.turn === "queued") one.aim = null;
      return;
    }
    case "pause":
      needs(one.status === "running");
      one.paused = true;
      return;
    case "park":
      needs(!isOver && one.ran);
      if (one.turn === "leased") {
        one.sleeps = true;
        return;
      }
      one.turn = "none";
      return move(one, "waiting", "spot_queue");
    case "start_now":
      if (one.paused && one.status === "needs_input" && one.queue.length > 0) {
        return offer(one, "message", null);
      }
      needs(one.wait === "spot_queue");
      return offer(one, one.queue.length > 0 ? "message" : "recovery", null);
    case "restart":
      needs(one.turn !== "leased" && one.status !== "archived");
      return offer(
        one,
        !one.ran ? "start" : one.queue.length > 0 ? "message" : "recovery",
        null,
      );
    case "archive":
      if (one.status === "archived") return;
      needs(one.queue.length === 0 && one.turn !== "leased");
      return end(one);
    case "archive_force":
      if (one.status !== "archived") end(one);
      return;
    case "unarchive":
      needs(one.status === "archived" && one.turn === "none");
      return one.failedBefore
        ? move(one, "failed")
        : one.ran
        ? move(one, "needs_input")
        : move(one, "waiting", "never_started");
    case "lease":
      needs(one.turn === "queued");
      if (one.kind === "message") {
        one.carried = one.aim ?? String(one.queue[0]);
        one.queue = one.queue.filter((other) => other !== one.carried);
      }
      for (const notice of one.notices) notice.stale = true;
      one.turn = "leased";
      one.ran = true;
      return move(one, "running");
    case "end":
    case "break": {
      needs(one.turn === "leased");
      one.turn = "none";
      one.carried = null;
      if (one.status === "archived") return;
      if (step.act === "break") return move(one, "failed");
      const { paused, sleeps } = one;
      move(one, "needs_input");
      one.paused = paused;
      if (paused) return;
      if (sleeps) return move(one, "waiting", "spot_queue");
      return drainPlain(one);
    }
    case "tell":
      if (one.status !== "needs_input" && one.status !== "failed") return;
      if (one.notices.some(({ state }) => state === one.changes)) return;
      one.notices.push({
        type: `session_${one.status}`,
        stale: false,
        state: one.changes,
      });
  }
}

function end(one: Plain): void {
  one.failedBefore = one.status === "failed";
  one.queue = [];
  one.notices = [];
  if (one.turn === "queued") one.turn = "none";
  if (one.carried !== null) one.carried = null;
  move(one, "archived");
}

/** The same in the database. */
async function act(
  fleet: Fleet,
  db: Db,
  step: Step,
  { id, acting, name }: { id: number; acting: number; name: string },
): Promise<void> {
  const pending = await listMessages(db, id, { status: "pending" });
  const messageId = pending[step.at % Math.max(1, pending.length)]?.id ??
    999_999;
  const message = { sessionId: id, messageId };
  const said = { content: name, actingSessionId: acting };
  const orRefuse = async (done: Promise<boolean>) => {
    if (!await done) throw new FleetRefusalError("wrong_state", "no turn");
  };
  const me = UNRESTRICTED;
  switch (step.act) {
    case "follow_up":
      return void await followUp(fleet, me, id, said);
    case "force":
      return void await followUp(fleet, me, id, { ...said, isForced: true });
    case "create":
      return void await createMessage(fleet, me, id, said);
    case "send_now":
      return void await sendNow(fleet, me, id, said);
    case "interrupt":
      return void await interruptWith(fleet, me, message, acting);
    case "delete":
      return void await removeMessage(fleet, me, message);
    case "reorder":
      return void await reorderMessage(fleet, me, message, step.by + 1);
    case "pause":
      return void await pauseSession(fleet, me, id);
    case "park":
      return void await parkSession(fleet, me, id, {});
    case "start_now":
      return void await startNow(fleet, me, id);
    case "restart":
      return void await restartSession(fleet, me, id);
    case "archive":
      return void await archiveSession(fleet, id);
    case "archive_force":
      return void await archiveSession(fleet, id, { isForced: true });
    case "unarchive":
      return void await unarchiveSession(fleet, id);
    case "lease":
      return await orRefuse(leaseTurn(db, id));
    case "end":
      return await orRefuse(endTurn(db, id));
    case "break":
      return await orRefuse(endTurn(db, id, { kind: "failed", reason: "x" }));
    case "tell": {
      const session = await findSession(db, id);
      if (session?.status === "archived") return;
      await tellState(db, { sessionId: id, stateNo: session?.stateNo ?? 0 });
    }
  }
}

async function look(db: Db, id: number): Promise<Partial<Plain>> {
  const session = await findSession(db, id);
  const messages = await listMessages(db, id);
  const turn = await findOpenTurn(db, id);
  const notices = await db.read<{ type: string; stale: boolean }>(
    "select notification_type as type, stale from notifications where session_id = $1 order by id",
    [id],
  );
  return {
    status: session?.status ?? "",
    wait: session?.waitReason ?? null,
    paused: session?.pausedBy === "user",
    sleeps: session?.pendingSleep === "spot_queue",
    queue: messages.filter(({ status }) => status === "pending")
      .map(({ content }) => content),
    carried: messages.find(({ status }) => status === "processing")?.content ??
      null,
    turn: turn === undefined
      ? "none"
      : turn.phase === "queued"
      ? "queued"
      : "leased",
    ran: (session?.leaseNo ?? 0) > 0,
    notices: notices.map((one) => ({ ...one, state: 0 })),
  };
}

function shown(one: Plain): Partial<Plain> {
  const { status, wait, paused, sleeps, queue, carried, turn, ran } = one;
  const notices = one.notices.map((notice) => ({ ...notice, state: 0 }));
  return { status, wait, paused, sleeps, queue, carried, turn, ran, notices };
}

/** Edges as the rules have them: nobody is senior to those above. */
class Lineage {
  readonly uncles = new Set<string>();
  readonly parents: ReadonlyMap<number, number>;

  constructor(parents: ReadonlyMap<number, number>) {
    this.parents = parents;
  }

  isSenior(senior: number, junior: number): boolean {
    const seen = new Set<number>();
    const above = [junior];
    for (let id = above.pop(); id !== undefined; id = above.pop()) {
      const parent = this.parents.get(id);
      const uncles = [...this.uncles].map((edge) => edge.split(" ").map(Number))
        .filter(([below]) => below === id).map(([, up]) => Number(up));
      for (const up of parent === undefined ? uncles : [parent, ...uncles]) {
        if (up === senior) return true;
        if (!seen.has(up)) above.push(up);
        seen.add(up);
      }
    }
    return false;
  }

  speak(junior: number, uncle: number): void {
    if (junior === uncle || this.isSenior(uncle, junior)) return;
    const opposite = `${uncle} ${junior}`;
    const inverted = this.uncles.delete(opposite);
    if (!this.isSenior(junior, uncle)) this.uncles.add(`${junior} ${uncle}`);
    else if (inverted) this.uncles.add(opposite);
  }
}

Deno.test("random actions on a family agree with a plain model at every step, from two servers", async () => {
  await using opened = await openTestFleet();
  const { test } = opened;
  await using stack = new AsyncDisposableStack();
  const other = openPool(test.target, { max: 3 });
  stack.defer(() => other.close());
  const dbs = [test.db, other];
  const fleets = dbs.map((db) => ({
    ...opened.fleet,
    store: { ...opened.fleet.store, db: () => Promise.resolve(db) },
  }));
  const fleet = fleets[0] as Fleet;
  const refusals = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 25, maxLength: 60 }),
      async (steps) => {
        const ids: number[] = [];
        const parents = new Map<number, number>();
        for (let n = 0; n < 3; n++) {
          const { session } = await startSession(fleet, {
            agentRoot: "gardener",
            drivenBy: "runner",
            prompt: "begin",
            parentSessionId: ids[n - 1],
          });
          if (n > 0) parents.set(session.id, Number(ids[n - 1]));
          ids.push(session.id);
          await test.db.write(
            "update sessions set push_notifications_enabled = true where id = $1",
            [session.id],
          );
        }
        const family = ids.map(fresh);
        const lineage = new Lineage(parents);
        for (const [n, step] of steps.entries()) {
          const id = Number(ids[step.who]);
          const acting = step.by === 3 ? 999_999 : Number(ids[step.by]);
          const name = `message ${n}`;
          const before = structuredClone(family);
          let isRefused = false;
          try {
            play(family, step, name);
            const speaks = [
              "follow_up",
              "force",
              "create",
              "send_now",
              "interrupt",
            ];
            if (speaks.includes(step.act) && step.by < 3) {
              lineage.speak(id, acting);
            }
          } catch (error) {
            if (!(error instanceof Refused)) throw error;
            isRefused = true;
            family.splice(0, family.length, ...before);
          }
          const db = dbs[step.server] as Db;
          const answered = await act(
            fleets[step.server] as Fleet,
            db,
            step,
            { id, acting, name },
          ).then(() => true, (error) => {
            if (error instanceof FleetRefusalError) return false;
            throw error;
          });
          const where = `${n}: ${JSON.stringify(step)}`;
          deepEqual(answered, !isRefused, where);
          refusals.set(
            step.act,
            (refusals.get(step.act) ?? 0) + (answered ? 0 : 1),
          );
          for (const [at, one] of family.entries()) {
            const seen = await look(
              dbs[1 - step.server] as Db,
              Number(ids[at]),
            );
            deepEqual(seen, shown(one), `${where}, session ${at}`);
          }
          const edges = await db.read<{ edge: string }>(
            `select session_id || ' ' || uncle_session_id as edge from session_uncle_links
             where session_id = any (array(select jsonb_array_elements_text($1::text::jsonb)::bigint))`,
            [JSON.stringify(ids)],
          );
          deepEqual(
            new Set(edges.map(({ edge }) => edge)),
            lineage.uncles,
            where,
          );
        }
        const first = await findSession(test.db, Number(ids[2]));
        deepEqual([first?.precedence, first?.genesis], [2, "api"]);
        ok(first && (await classOf(test.db, first)).name === "spot");
      },
    ),
    { numRuns: 12 },
  );
});
