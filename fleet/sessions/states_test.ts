import { deepEqual, equal, rejects } from "node:assert/strict";
import { findSession, SESSION_STATUSES } from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { startSession } from "./start.ts";
import { lookUp, type SessionEvent, TRANSITIONS } from "./states.ts";
import { transition } from "./transition.ts";

const EVENTS = Object.keys(TRANSITIONS) as SessionEvent[];

Deno.test("every event in every state is a line of the table, no change, or refused", () => {
  for (const event of EVENTS) {
    const line = TRANSITIONS[event];
    for (const status of SESSION_STATUSES) {
      const found = lookUp(event, status);
      if (line.from.includes(status)) equal(found, line);
      else if (line.to.includes(status) && line.isIdempotent) {
        equal(found, "unchanged");
      } else equal(found, "refused");
    }
  }
});

Deno.test("no line lists a state twice", () => {
  for (const { from, to } of Object.values(TRANSITIONS)) {
    equal(new Set(from).size, from.length);
    equal(new Set(to).size, to.length);
  }
});

Deno.test("an event that is not possible names the state and changes nothing", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { session } = await startSession(fleet, { agentRoot: "gardener" });
  await rejects(
    test.db.transaction((tx) => transition(tx, session.id, "register")),
    {
      code: "wrong_state",
      message:
        `Session ${session.id} is waiting: register is possible before there is a session only. Nothing was changed`,
    },
  );
  deepEqual(await findSession(test.db, session.id), session);
});
