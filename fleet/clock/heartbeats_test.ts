import { deepEqual, equal } from "node:assert/strict";
import { findSession, listMessages } from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { addSession } from "../../tests/support/session_rows.ts";
import { setHeartbeat } from "../actions/edits.ts";
import { UNRESTRICTED } from "../caller.ts";
import { startSession } from "../sessions/start.ts";
import { beatSessions } from "./heartbeats.ts";

Deno.test("a rest as long as was set ends with a heartbeat, once for all servers", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { db } = test;
  const { session: { id } } = await startSession(fleet, {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  await leaseTurn(db, id);
  await endTurn(db, id);
  const rested = (seconds: number) =>
    db.write(
      "update sessions set state_since = now() - $2 * interval '1 second' where id = $1",
      [id, seconds],
    );
  await rested(1_000);
  equal(await beatSessions(db, 10), 0, "it is off by default");
  await setHeartbeat(fleet, UNRESTRICTED, id, {
    isEnabled: true,
    intervalSeconds: 600,
  });
  await rested(590);
  equal(await beatSessions(db, 10), 0);
  await rested(601);
  const both = await Promise.all([beatSessions(db, 10), beatSessions(db, 10)]);
  equal(both[0] + both[1], 1);
  const [message, ...more] = await listMessages(db, id);
  deepEqual([message?.content, message?.origin, more.length], [
    "heartbeat",
    "heartbeat",
    0,
  ]);
  const session = await findSession(db, id);
  deepEqual([session?.status, session?.waitReason], ["waiting", "queued"]);
  equal(await beatSessions(db, 10), 0, "its turn is queued");
});

Deno.test("who is held, works, sleeps or is a client's own has no heartbeat", async () => {
  await using opened = await openTestFleet();
  const { db } = opened.test;
  const common = {
    heartbeat_enabled: true,
    driven_by: "runner",
    status: "needs_input",
    wait_reason: null,
    state_since: new Date(0),
  };
  await addSession(db, { ...common, paused_by: "user" });
  await addSession(db, { ...common, driven_by: "client" });
  await addSession(db, { ...common, status: "running" });
  await addSession(db, { ...common, status: "archived" });
  await addSession(db, {
    ...common,
    status: "waiting",
    wait_reason: "asleep",
  });
  equal(await beatSessions(db, 10), 0);
  await addSession(db, common);
  await addSession(db, common);
  equal(await beatSessions(db, 1), 1, "no more at once than was said");
});
