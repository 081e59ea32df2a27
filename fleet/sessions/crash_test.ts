/**
 * A server that dies between any two statements of what it does to a session
 * leaves a state that the table allows: what was to be done is done whole, or
 * nothing of it.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Db } from "../../store/pg/mod.ts";
import { assertAllowed } from "../../tests/support/allowed_states.ts";
import { Died, dying } from "../../tests/support/dying_db.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { readFleetState } from "../../tests/support/fleet_state.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { updateTitle } from "../actions/edits.ts";
import { forkSession } from "../actions/copies.ts";
import { pauseAndWait } from "../actions/pause.ts";
import { parkSession, restartSession } from "../actions/turns.ts";
import { UNRESTRICTED } from "../caller.ts";
import { expireOverdue } from "../elicitations/expire.ts";
import { ask } from "../elicitations/ask.ts";
import { respond } from "../elicitations/respond.ts";
import type { Fleet } from "../fleet.ts";
import { followUp } from "../queue/deliver.ts";
import {
  createMessage,
  interruptWith,
  reorderMessage,
  sendNow,
} from "../queue/manage.ts";
import { tellState } from "../wakes/fire.ts";
import { createTrigger } from "../triggers/edit.ts";
import { wakeLater, wakeOnSession } from "../wakes/arm.ts";
import { archiveSession, unarchiveSession } from "./archive.ts";
import { startSession } from "./start.ts";

type Act = (fleet: Fleet, db: Db, ids: Record<string, number>) => unknown;

const ME = UNRESTRICTED;

const ACTS: Readonly<Record<string, Act>> = {
  start: (fleet) =>
    startSession(fleet, {
      agentRoot: "gardener",
      drivenBy: "runner",
      prompt: "begin",
      idempotencyKey: "k",
    }),
  "follow up": (fleet, _db, { resting, failed }) =>
    followUp(fleet, ME, Number(resting), {
      content: "x",
      actingSessionId: Number(failed),
    }),
  "follow up, forced": (fleet, _db, { running }) =>
    followUp(fleet, ME, Number(running), { content: "x", isForced: true }),
  create: (fleet, _db, { resting }) =>
    createMessage(fleet, ME, Number(resting), { content: "x" }),
  "send now": (fleet, _db, { running }) =>
    sendNow(fleet, ME, Number(running), { content: "x" }),
  reorder: (fleet, _db, { running, message }) =>
    reorderMessage(fleet, ME, {
      sessionId: Number(running),
      messageId: Number(message),
    }, 1),
  pause: (fleet, _db, { running }) =>
    pauseAndWait(
      { ...fleet, durations: { pauseReceipt: 0 } },
      ME,
      Number(running),
    ),
  park: (fleet, _db, { resting }) =>
    parkSession(fleet, ME, Number(resting), { prompt: "later" }),
  restart: (fleet, _db, { failed }) =>
    restartSession(fleet, ME, Number(failed)),
  "archive, forced": (fleet, _db, { running }) =>
    archiveSession(fleet, Number(running), { isForced: true }),
  unarchive: (fleet, _db, { archived }) =>
    unarchiveSession(fleet, Number(archived)),
  wake: (fleet, _db, { resting }) =>
    wakeLater(fleet, ME, {
      sessionId: Number(resting),
      wakeAt: "2199-01-01T00:00",
      prompt: "wake",
    }),
  "wake on a rest": (fleet, _db, { resting, running }) =>
    wakeOnSession(fleet, ME, {
      sessionId: Number(resting),
      watchedSessionId: Number(running),
      eventNames: ["session_failed"],
      prompt: "wake",
    }),
  trigger: (fleet) =>
    createTrigger(fleet, ME, {
      name: "hook",
      agentRootName: "gardener",
      promptTemplate: "x",
      conditions: [{ type: "webhook", configuration: {} }],
    }),
  interrupt: (fleet, _db, { running, message }) =>
    interruptWith(fleet, ME, {
      sessionId: Number(running),
      messageId: Number(message),
    }),
  fork: (fleet, _db, { resting }) => forkSession(fleet, ME, Number(resting)),
  edit: (fleet, _db, { resting }) =>
    updateTitle(fleet, ME, Number(resting), "other"),
  ask: (fleet, _db, { running }) =>
    ask(fleet, ME, Number(running), { message: "Red?" }),
  respond: (fleet) => respond(fleet, ME, "q", { action: "accept" }),
  expire: (_fleet, db) => expireOverdue(db, 10),
  lease: (_fleet, db, { queued }) => leaseTurn(db, Number(queued)),
  "end of a turn": (_fleet, db, { running }) => endTurn(db, Number(running)),
  "failure of a turn": (_fleet, db, { running }) =>
    endTurn(db, Number(running), { kind: "failed", reason: "broke" }),
  tell: (_fleet, db, { failed }) =>
    tellState(db, { sessionId: Number(failed), stateNo: 3 }),
};

/** Sessions of every kind. */
async function settle(
  fleet: Fleet,
  db: Db,
): Promise<Record<string, number>> {
  const make = async () => {
    const { session } = await startSession(fleet, {
      agentRoot: "gardener",
      drivenBy: "runner",
      prompt: "begin",
    });
    return session.id;
  };
  const leased = async () => {
    const id = await make();
    await leaseTurn(db, id);
    return id;
  };
  const resting = await leased();
  await endTurn(db, resting);
  const running = await leased();
  await createMessage(fleet, ME, running, { content: "first" });
  const second = await createMessage(fleet, ME, running, { content: "second" });
  const failed = await leased();
  await endTurn(db, failed, { kind: "failed", reason: "broke" });
  const archived = await leased();
  await endTurn(db, archived);
  await archiveSession(fleet, archived);
  const asking = await leased();
  await ask(fleet, ME, asking, { message: "Red?", requestId: "q" });
  const late = await leased();
  await ask(fleet, ME, late, { message: "Blue?", requestId: "late" });
  await db.write(
    "update elicitations set expires_at = now() - interval '1 second' where request_id = 'late'",
  );
  const queued = await make();
  return {
    resting,
    running,
    failed,
    archived,
    queued,
    message: second.message.id,
  };
}

Deno.test("[behaviour 10] a server that dies between any two statements leaves a state that the table allows", async () => {
  await using opened = await openTestFleet();
  const { db } = opened.test;
  const made = await settle(opened.fleet, db);
  const lies: string[] = [];
  for (const [name, act] of Object.entries(ACTS)) {
    for (let at = 0;; at++) {
      const before = await readFleetState(db);
      const dead = dying(db, at);
      const fleet = {
        ...opened.fleet,
        store: { ...opened.fleet.store, db: () => Promise.resolve(dead.db) },
      };
      let died = false;
      try {
        await act(fleet, dead.db, made);
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        died = true;
      }
      const what = `${name}, before statement ${at}`;
      await assertAllowed(db, what);
      if (!died) {
        ok(at > 1, `${name} has one statement only`);
        break;
      }
      equal(dead.count(), at);
      // Whoever calls is told that nothing was done, so nothing may have been.
      if (dead.hasCommitted()) lies.push(what);
      if (dead.hasCommitted()) break;
      deepEqual(await readFleetState(db), before, `${what}: half of it stayed`);
    }
    // Each begins with sessions of every kind.
    await db.write(
      "truncate sessions, turns, enqueued_messages, elicitations, notifications, session_logs, triggers cascade",
    );
    await db.write("delete from rootcellar_jobs.job");
    Object.assign(made, await settle(opened.fleet, db));
  }
  deepEqual(lies, []);
});
