import { deepEqual, equal, ok } from "node:assert/strict";
import { clockEnv, HAS_FAKETIME } from "../support/faketime.ts";
import { openFireHome, ROOT } from "../support/fire.ts";
import { startServer } from "../support/process.ts";
import { drift, fill } from "../support/root_data.ts";

const NEEDS = HAS_FAKETIME
  ? ""
  : " (skipped: Debian's faketime is not installed)";
const DEADLINE_MS = 60_000;
const DUE = 12_000;

Deno.test({
  name:
    `the hourly sweep of two servers on one database deletes each due record once${NEEDS}`,
  ignore: !HAS_FAKETIME,
  async fn() {
    await using home = await openFireHome();
    for (let n = 0; n < 3; n++) {
      await fill(home.db, DUE / 3 + 100, {
        namespace: ROOT,
        collection: `c${n}`,
      });
    }
    await home.db.write(
      "update agent_root_records set expires_at = now() - interval '1 minute' where (data->>'n')::int > 100",
    );
    const env = {
      ...home.env,
      LOG_LEVEL: "info",
      ...clockEnv({ at: "2026-01-01 00:34:45" }),
    };
    const servers = await Promise.all([startServer(env), startServer(env)]);
    try {
      const deadline = performance.now() + DEADLINE_MS;
      const due = async () =>
        (await home.db.read(
          "select 1 from agent_root_records where expires_at <= now() limit 1",
        )).length;
      while (await due() > 0) {
        ok(performance.now() < deadline, "Nobody swept");
      }
    } finally {
      for (const server of servers) await server.stop();
    }
    const logs = await Promise.all(servers.map(({ log }) => log));
    const sweeps = logs.flatMap((log) =>
      log.split("\n").filter((line) => line.includes('"sweep"'))
        .map((line) => JSON.parse(line))
    );
    const deleted = sweeps.map((one) => one.deleted);
    equal(deleted.reduce((sum, count) => sum + count, 0), DUE);
    // One did it all; the other found it at work, or nothing left to do.
    equal(deleted.filter((count) => count > 0).length, 1);
    deepEqual(await drift(home.db), []);
  },
});
