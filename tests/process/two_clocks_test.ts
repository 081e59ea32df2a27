import { deepEqual, equal, ok } from "node:assert/strict";
import {
  insertCondition,
  insertTrigger,
  setDue,
} from "../../store/triggers/mod.ts";
import { clockEnv, HAS_FAKETIME } from "../support/faketime.ts";
import { openFireHome, ROOT } from "../support/fire.ts";
import { startServer } from "../support/process.ts";

const NEEDS = HAS_FAKETIME
  ? ""
  : " (skipped: Debian's faketime is not installed)";
const DEADLINE_MS = 120_000;
const SCHEDULES = 40;
const YEAR = new Date().getUTCFullYear() + 1;

Deno.test({
  name:
    `two servers whose clocks differ by an hour fire each occurrence once, at the database's time${NEEDS}`,
  ignore: !HAS_FAKETIME,
  async fn() {
    await using home = await openFireHome();
    const { db } = home;
    const hour = 3_600_000;
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const stamp = (ms: number) =>
      new Date(ms).toISOString().slice(0, 19).replace("T", " ");
    const recurring = await db.transaction(async (tx) => {
      const trigger = await insertTrigger(tx, {
        name: "many",
        agentRootName: ROOT,
        promptTemplate: "{{date}} {{time}}",
        goal: null,
        mcpServers: [],
        catalogSkills: [],
        catalogHooks: [],
        catalogPlugins: [],
        reuseSession: false,
        enqueueMessages: false,
        resuscitateArchived: false,
        maxSessionsPerMinute: null,
        schedulingClass: null,
        precedence: null,
      }, "enabled");
      for (let at = 0; at < SCHEDULES; at++) {
        await insertCondition(tx, trigger.id, {
          type: "schedule",
          configuration: {
            scheduled_at: `${YEAR}-01-01T00:00:00`,
            timezone: "UTC",
          },
          dueAt: new Date(now),
        });
      }
      const { id } = await insertCondition(tx, trigger.id, {
        type: "schedule",
        configuration: { unit: "hours", interval: 2, timezone: "UTC" },
        dueAt: new Date(now),
      });
      // Due in half an hour by the database, and long since by one of the two.
      const later = await insertCondition(tx, trigger.id, {
        type: "schedule",
        configuration: {
          scheduled_at: `${YEAR}-01-01T00:00:00`,
          timezone: "UTC",
        },
        dueAt: null,
      });
      await setDue(tx, later.id, new Date(now + hour / 2));
      return id;
    });
    const servers = await Promise.all(
      [now - hour, now + hour].map((ms) =>
        startServer({ ...home.env, ...clockEnv({ at: stamp(ms) }) })
      ),
    );
    try {
      const deadline = performance.now() + DEADLINE_MS;
      const isDue = async () =>
        (await db.read(
          "select 1 from trigger_conditions where due_at <= now() limit 1",
        )).length > 0;
      while (await isDue()) {
        ok(performance.now() < deadline, "Not all fired");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      for (const server of servers) await server.stop();
    }
    const [counted] = await db.read(
      `select count(*)::int as fired, count(distinct condition_id)::int as conditions,
         count(distinct session_id)::int as sessions from trigger_occurrences`,
    );
    deepEqual(counted, {
      fired: SCHEDULES + 1,
      conditions: SCHEDULES + 1,
      sessions: SCHEDULES + 1,
    });
    const [next] = await db.read<{ due_at: Date }>(
      "select due_at from trigger_conditions where id = $1",
      [recurring],
    );
    const ahead = (next?.due_at.getTime() ?? 0) - now;
    ok(ahead > hour && ahead <= 2 * hour, `next in ${ahead / 60_000} minutes`);
    equal(
      (await db.read(
        "select 1 from trigger_conditions where due_at is not null",
      ))
        .length,
      2,
    );
  },
});
