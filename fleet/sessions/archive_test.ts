import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  findSession,
  findSessionByToken,
  SESSION_STATUSES,
} from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { archiveSession } from "./archive.ts";
import { startSession } from "./start.ts";

Deno.test("archiving ends the token and notes the time; again it changes nothing", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { session, token } = await startSession(fleet, {
    agentRoot: "gardener",
  });
  const archived = await archiveSession(fleet, session.id);
  equal(archived.status, "archived");
  ok(archived.archivedAt !== null);
  equal(archived.hasToken, false);
  equal(await findSessionByToken(test.db, String(token)), undefined);
  deepEqual(await archiveSession(fleet, session.id), archived);
  deepEqual(await findSession(test.db, session.id), archived);
});

Deno.test("a session can be archived in every state, and by several at once", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  for (const status of SESSION_STATUSES) {
    const { session } = await startSession(fleet, { agentRoot: "gardener" });
    await test.db.write(
      "update sessions set status = $2, wait_reason = null where id = $1",
      [
        session.id,
        status,
      ],
    );
    const all = await Promise.all(
      Array.from({ length: 3 }, () => archiveSession(fleet, session.id)),
    );
    for (const one of all) {
      equal(one.status, "archived");
      deepEqual(one, all[0]);
    }
  }
});

Deno.test("archiving a session that does not exist is refused", async () => {
  await using opened = await openTestFleet();
  await rejects(archiveSession(opened.fleet, 404), {
    name: "FleetRefusalError",
    code: "not_found",
    message: "Session 404 does not exist",
  });
});
