/**
 * A server that is restarted under the load of `wrk`, as a deployment does it.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Db } from "../../store/pg/mod.ts";
import { startSession } from "../support/sessions.ts";
import { openFireHome } from "../support/fire.ts";
import { freePort } from "../support/free_port.ts";
import {
  mainFolder,
  type ServerProcess,
  startServer,
} from "../support/process.ts";
import { drift } from "../support/root_data.ts";

const HAS_WRK = await Deno.stat("/usr/bin/wrk").then(() => true, () => false);
const NEEDS = HAS_WRK ? "" : " (skipped: Debian's wrk is not installed)";

const RESTARTS = 3;
const CONNECTIONS = 32;
/** Together they take 90,000 writes a minute. */
const ROOTS = 60;
/** Records stored between two restarts. */
const STRIDE = 300;
const DEADLINE_MS = 60_000;

interface Outcome {
  readonly report: string;
  /** Keys whose put was acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** Answers that were neither that nor a good read. */
  readonly others: readonly string[];
}

/** Runs the load for as long as `meanwhile` takes. */
async function load(
  url: string,
  args: readonly string[],
  meanwhile: () => Promise<void>,
): Promise<Outcome> {
  const folder = await Deno.makeTempDir();
  try {
    const wrk = new Deno.Command("wrk", {
      args: [
        "-t2",
        `-c${CONNECTIONS}`,
        "-d300s",
        "--timeout",
        "60s",
        "-s",
        mainFolder("tests/support/restart_load.lua"),
        url,
        "--",
        folder,
        ...args,
      ],
      stdout: "piped",
    }).spawn();
    const report = new Response(wrk.stdout).text();
    try {
      await meanwhile();
    } finally {
      wrk.kill("SIGINT");
      await wrk.status;
    }
    const lines = async (name: string) =>
      (await Promise.all(
        [0, 1].map((thread) =>
          Deno.readTextFile(`${folder}/${name}.${thread}`)
        ),
      )).flatMap((text) => text.split("\n").slice(0, -1));
    return {
      report: await report,
      acknowledged: new Set(await lines("acks")),
      others: await lines("other"),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function storedKeys(db: Db): Promise<string[]> {
  const rows = await db.read<{ key: string }>(
    "select key from agent_root_records where key like 'w%'",
  );
  return rows.map(({ key }) => key);
}

async function untilStored(db: Db, count: number): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while ((await storedKeys(db)).length < count) {
    ok(performance.now() < deadline, `${count} records were not stored`);
  }
}

Deno.test({
  name:
    `three restarts under load lose nothing acknowledged, and clients see clean refusals only${NEEDS}`,
  ignore: !HAS_WRK,
  async fn() {
    const roots = Array.from({ length: ROOTS }, (_, n) => `r${n}`);
    const collections = Array.from({ length: 25 }, (_, n) => `c${n}`);
    await using home = await openFireHome(
      Object.fromEntries(roots.map((root) => [
        root,
        { name: root, data_collections: collections },
      ])),
    );
    await home.db.write(
      `with seeds as (
         insert into agent_root_records
           (namespace, collection, key, data, data_bytes, created_at, updated_at)
         select 'r' || r, 'c' || c, 'seed', '{}', 2, now(), now()
         from generate_series(0, $1::int - 1) r, generate_series(0, 24) c
         returning namespace, collection
       )
       insert into agent_root_record_counters
         (namespace, collection, records_count, data_bytes)
       select namespace, collection, 1, 2 from seeds`,
      [ROOTS],
    );
    const sessions: string[] = [];
    for (const root of roots) {
      const { session } = await startSession(home.db, { agentRootKey: root });
      sessions.push(String(session.id));
    }
    const env = { ...home.env, API_KEYS: "key" };
    const port = String(freePort());
    const start = () => startServer(env, ["--port", port]);
    let server: ServerProcess = await start();
    try {
      const { report, acknowledged, others } = await load(
        `http://127.0.0.1:${port}`,
        ["key", ...sessions],
        async () => {
          for (let n = 1; n <= RESTARTS; n++) {
            await untilStored(home.db, n * STRIDE);
            equal(await server.stop("SIGTERM"), 0);
            server = await start();
          }
          await untilStored(home.db, (RESTARTS + 1) * STRIDE);
          // So that nothing is under way when the load ends.
          equal(await server.stop("SIGTERM"), 0);
        },
      );
      // What was cut off unanswered did not happen, either.
      const stored = new Set(await storedKeys(home.db));
      deepEqual([...acknowledged.difference(stored)], [], "Lost");
      deepEqual([...stored.difference(acknowledged)], [], "Not acknowledged");
      // Nothing but the refusal of a server that stops.
      deepEqual(
        others.filter((line) => !/^503 .*The server is stopping/.test(line)),
        [],
      );
      match(report, /timeout 0\n/);
      // A connection that a stop finds without a request is closed; the load
      // may be sending one just then.
      const closed = Number(/read ([0-9]+)/.exec(report)?.[1]);
      ok(closed <= CONNECTIONS * (RESTARTS + 1), report);
    } finally {
      await server[Symbol.asyncDispose]();
    }
    deepEqual(await drift(home.db), []);
  },
});
