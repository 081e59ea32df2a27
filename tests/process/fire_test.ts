import { deepEqual, equal, ok } from "node:assert/strict";
import { drift, fill } from "../support/root_data.ts";
import {
  type FireAnswer,
  type FireHome,
  type FireServer,
  openFireHome,
  ROOT,
} from "../support/fire.ts";
import { runVerb } from "../support/process.ts";

/** Two servers on one home; afterwards counters say what is stored. */
async function withTwoServers(
  work: (home: FireHome, servers: readonly FireServer[]) => Promise<void>,
): Promise<void> {
  await using home = await openFireHome();
  await using one = await home.serve();
  await using two = await home.serve();
  await work(home, [one, two]);
  deepEqual(await drift(home.db), []);
}

/** Sends `count` calls at once, spread over the servers; counts outcomes. */
async function burst(
  servers: readonly FireServer[],
  count: number,
  send: (server: FireServer, n: number) => Promise<FireAnswer>,
): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const server = servers[n % servers.length];
      if (server === undefined) throw new Error("No servers");
      return send(server, n);
    }),
  );
  const counts: Record<string, number> = {};
  for (const { outcome } of answers) {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

async function storedIn(home: FireHome, collection: string): Promise<number> {
  const [row] = await home.db.read<{ n: number }>(
    "select count(*)::int as n from agent_root_records where namespace = $1 and collection = $2",
    [ROOT, collection],
  );
  return row?.n ?? 0;
}

Deno.test("two servers: 64 writers at cap - 1 leave exactly the cap", async () => {
  await withTwoServers(async (home, servers) => {
    await fill(home.db, 9_999, { namespace: ROOT, collection: "c0" });
    const counts = await burst(
      servers,
      64,
      (server, n) =>
        server.call("put_root_record", {
          collection: "c0",
          key: `new${n}`,
          data: { n },
        }),
    );
    deepEqual(counts, { created: 1, row_cap: 63 });
    equal(await storedIn(home, "c0"), 10_000);
  });
});

Deno.test("two servers: 30 first writes to new collections leave exactly 25", async () => {
  await withTwoServers(async (home, servers) => {
    const counts = await burst(
      servers,
      30,
      (server, n) =>
        server.call("append_root_record", {
          collection: `c${n}`,
          data: { n },
        }),
    );
    deepEqual(counts, { appended: 25, collection_cap: 5 });
    const rows = await home.db.read(
      "select distinct collection from agent_root_records",
    );
    equal(rows.length, 25);
  });
});

Deno.test("two servers: 200 puts of one new key leave one record, and the 61st write is refused", async () => {
  await withTwoServers(async (home, servers) => {
    const counts = await burst(
      servers,
      200,
      (server, n) =>
        server.call("put_root_record", {
          collection: "c0",
          key: "key",
          data: { n },
        }),
    );
    deepEqual(counts, { created: 1, replaced: 59, rate_limited: 140 });
    equal(await storedIn(home, "c0"), 1);
    const [counter] = await home.db.read(
      "select records_count, window_writes from agent_root_record_counters",
    );
    deepEqual({ ...counter }, { records_count: 1, window_writes: 60 });
  });
});

Deno.test("two sweep processes at once delete each due record once", async () => {
  await using home = await openFireHome();
  await fill(home.db, 8_000, { namespace: ROOT, collection: "c0" });
  await fill(home.db, 8_000, { namespace: ROOT, collection: "c1" });
  await home.db.write(
    "update agent_root_records set expires_at = now() - interval '1 minute' where (data->>'n')::int <= 7000",
  );
  const outcomes = await Promise.all([
    runVerb(["sweep"], home.env),
    runVerb(["sweep"], home.env),
  ]);
  const reports = outcomes.map(({ code, stdout, stderr }) => {
    equal(code, 0, stderr);
    return JSON.parse(stdout);
  });
  equal(reports[0].deleted + reports[1].deleted, 14_000);
  deepEqual(reports.flatMap((one) => one.drift), []);
  equal(await storedIn(home, "c0"), 1_000);
  equal(await storedIn(home, "c1"), 1_000);
  deepEqual(await drift(home.db), []);
});

const WORKERS = 8;
const KILLS = 10;
const WRITES_PER_KILL = 100;

/** What may be stored at one place: the values that a reader may find. */
interface Place {
  readonly collection: string;
  /** Undefined for a record without a key. */
  readonly key: string | undefined;
  /** Null stands for no record. */
  may: readonly (number | null)[];
}

/**
 * Writes until 1,000 writes are acknowledged, and kills whenever another
 * hundred is half done. A worker never goes back to a place whose state is
 * unknown: what was under way there may still land after later writes.
 */
async function writeUnderFire(
  serverNow: () => Promise<FireServer>,
  kill: () => Promise<void>,
): Promise<{ places: Place[]; acknowledged: number; unknown: number }> {
  const places: Place[] = [];
  let acknowledged = 0;
  let unknown = 0;
  let next = 0;
  let kills = 0;
  const send = async (
    place: Place,
    after: number | null,
    tool: string,
    args: unknown,
  ): Promise<boolean> => {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const answer = await (await serverNow()).call(tool, args);
      if (answer.kind === "done") {
        place.may = [after];
        acknowledged++;
        if (acknowledged >= (kills + 0.5) * WRITES_PER_KILL && kills < KILLS) {
          kills++;
          await kill();
        }
        return true;
      }
      if (answer.kind === "unknown") {
        place.may = [...place.may, after];
        unknown++;
        return false;
      }
      equal(answer.outcome, "not_done");
      ok(performance.now() < deadline, "The database did not come back");
    }
  };
  const work = async () => {
    while (acknowledged < KILLS * WRITES_PER_KILL) {
      const n = next++;
      const collection = `c${n % 25}`;
      const key = n % 3 === 0 ? undefined : `k${n}`;
      const place: Place = { collection, key, may: [null] };
      places.push(place);
      if (key === undefined) {
        const data = { n };
        await send(place, n, "append_root_record", { collection, data });
        continue;
      }
      const put = (n: number) =>
        send(place, n, "put_root_record", { collection, key, data: { n } });
      if (!await put(n)) continue;
      if (n % 3 === 1) await put(-n);
      else if (n % 4 === 0) {
        await send(place, null, "delete_root_record", { collection, key });
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  equal(kills, KILLS);
  return { places, acknowledged, unknown };
}

/** Compares what is stored with what was acknowledged. */
async function assertNothingLost(
  home: FireHome,
  places: readonly Place[],
): Promise<void> {
  const rows = await home.db.read<
    { collection: string; key: string | null; n: number }
  >("select collection, key, (data->>'n')::int as n from agent_root_records");
  const stored = new Map<string, number>();
  for (const { collection, key, n } of rows) {
    const name = `${collection}/${key ?? `#${n}`}`;
    ok(!stored.has(name), `${name} is stored twice`);
    stored.set(name, n);
  }
  places.forEach(({ collection, key, may }, n) => {
    const name = `${collection}/${key ?? `#${n}`}`;
    const found = stored.get(name) ?? null;
    ok(may.includes(found), `${name} is ${found}, and may be ${may.join()}`);
    stored.delete(name);
  });
  deepEqual([...stored], []);
  deepEqual(await drift(home.db), []);
}

Deno.test("a server killed ten times in 1,000 acknowledged writes loses none", async () => {
  await using home = await openFireHome();
  let server = home.serve();
  try {
    const { places, acknowledged, unknown } = await writeUnderFire(
      () => server,
      async () => {
        const victim = await server;
        server = home.serve();
        await victim.stop("SIGKILL");
        await server;
      },
    );
    ok(acknowledged >= 1_000);
    ok(unknown > 0, "No kill hit a write under way");
    await (await server).stop();
    await assertNothingLost(home, places);
  } finally {
    await (await server)[Symbol.asyncDispose]();
  }
});

Deno.test("PostgreSQL killed ten times in 1,000 acknowledged writes loses none", async () => {
  await using home = await openFireHome();
  await using server = await home.serve();
  const { places, acknowledged, unknown } = await writeUnderFire(
    () => Promise.resolve(server),
    async () => {
      const pid = await home.postmaster();
      Deno.kill(pid, "SIGKILL");
    },
  );
  ok(acknowledged >= 1_000);
  ok(unknown > 0, "No kill hit a write under way");
  await assertNothingLost(home, places);
});
