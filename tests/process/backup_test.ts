import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { type FireHome, openFireHome, ROOT } from "../support/fire.ts";
import { runVerb, startVerb } from "../support/process.ts";
import { drift, fill } from "../support/root_data.ts";

/** A path in a folder of its own. */
async function withPath(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(`${folder}/backup.gz`);
    const left = await Array.fromAsync(Deno.readDir(folder));
    deepEqual(
      left.map(({ name }) => name).filter((name) => name !== "backup.gz"),
      [],
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function recordsIn({ db }: FireHome): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from agent_root_records",
  );
  return row?.n ?? 0;
}

/** Empties a home as if it had only just been made. */
async function empty({ db }: FireHome): Promise<void> {
  await db.write("delete from sessions");
}

Deno.test("a backup made under load is restored in an empty home, where the session's token still works", async () => {
  await using home = await openFireHome();
  await using other = await openFireHome();
  await empty(other);
  await fill(home.db, 5_000, { namespace: ROOT, collection: "many" });
  await using server = await home.serve();
  await withPath(async (path) => {
    let isDone = false;
    const before = 1;
    await server.call("append_root_record", { collection: "c9", data: {} });
    let acknowledged = before;
    const load = Array.from({ length: 4 }, async (_, at) => {
      for (let n = 0; !isDone && n < 55; n++) {
        const collection = `c${at}`;
        const data = { n };
        await server.call("append_root_record", { collection, data });
        acknowledged++;
      }
    });
    const { code, stderr } = await runVerb(["db", "backup", path], home.env);
    equal(code, 0, stderr);
    isDone = true;
    await Promise.all(load);
    equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    const restored = await runVerb(["db", "restore", path], other.env);
    equal(restored.code, 0, restored.stderr);
    match(restored.stdout, /^Restored \d+ rows of \d+ tables/);
    ok(!restored.stdout.includes("wrong"), restored.stdout);
    const records = await recordsIn(other);
    ok(records >= 5_000 + before && records <= 5_000 + acknowledged);
    deepEqual(await drift(other.db), []);
    await using there = await other.serve();
    const answer = await fetch(`${there.url}?tool_groups=root_data`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${home.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "list_root_collections", arguments: {} },
      }),
    });
    equal(answer.status, 200);
    equal((await answer.json()).result.isError ?? false, false);
  });
});

Deno.test("a restore that is killed leaves the database empty, and runs again", async () => {
  await using home = await openFireHome();
  await using other = await openFireHome();
  await empty(other);
  for (let n = 0; n < 2; n++) {
    await fill(home.db, 10_000, { namespace: ROOT, collection: `c${n}` });
  }
  await withPath(async (path) => {
    equal((await runVerb(["db", "backup", path], home.env)).code, 0);
    {
      await using restore = startVerb(["db", "restore", path], other.env);
      const inserts = () =>
        other.db.read(
          "select 1 from pg_stat_activity where query like 'insert into agent_root_records %' and state <> 'idle'",
        );
      let hasEnded = false;
      const ended = () => hasEnded = true;
      restore.code.then(ended, ended);
      while ((await inserts()).length === 0) {
        ok(!hasEnded, `It ended without being killed: ${restore.stderr()}`);
      }
      Deno.kill(restore.pid, "SIGKILL");
      await restore.code;
      const deadline = performance.now() + 60_000;
      while ((await inserts()).length > 0) {
        ok(performance.now() < deadline, "The restore goes on");
      }
    }
    equal(await recordsIn(other), 0);
    const again = await runVerb(["db", "restore", path], other.env);
    equal(again.code, 0, again.stderr);
    equal(await recordsIn(other), 20_000);
    deepEqual(await drift(other.db), []);
    // What is there now is not overwritten by mistake.
    const twice = await runVerb(["db", "restore", path], other.env);
    equal(twice.code, 1);
    match(twice.stderr, /holds rows in .*--replace/);
  });
});

Deno.test("a backup that fails leaves nothing behind, and the one before as it was", async () => {
  await using home = await openFireHome();
  await home.db.write(
    "insert into schema_migrations (id, checksum, is_breaking) values ('0900_later', 'x', false)",
  );
  await withPath(async (path) => {
    const run = () => runVerb(["db", "backup", path], home.env);
    const { code, stderr } = await run();
    equal(code, 1, stderr);
    match(stderr, /newer Rootcellar \(0900_later\)/);
    await rejects(Deno.stat(path), Deno.errors.NotFound);
    await Deno.writeTextFile(path, "the one before");
    equal((await run()).code, 1);
    equal(await Deno.readTextFile(path), "the one before");
  });
});

Deno.test("db backup and restore say in one line what they were called with wrongly", async () => {
  await using home = await openFireHome();
  const cases: [string[], RegExp][] = [
    [["backup"], /db backup needs a file/],
    [["restore"], /db restore needs a file/],
    [["restore", `${home.home}/none`], /Cannot read the backup/],
    [["restore", home.home], /must be a regular file/],
    [["backup", `${home.home}/none/x`], /Cannot write the backup/],
    [["backup", home.home], /not a regular file/],
    [["status", "now"], /Unexpected word "now"/],
  ];
  for (const [words, reason] of cases) {
    const { code, stderr } = await runVerb(["db", ...words], home.env);
    equal(code, 2, stderr);
    equal(stderr.trim().split("\n").length, 1, stderr);
    match(stderr, reason);
  }
});
