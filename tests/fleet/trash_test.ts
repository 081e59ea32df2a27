/**
 * Trees of archived sessions: removed when their time has come, by the runner
 * that has them, unless the session is back.
 *
 * @module
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { sweepFleet } from "../../fleet/clock/handlers.ts";
import { archiveSession, unarchiveSession } from "../../fleet/mod.ts";
import { HAS_SWEEP } from "../../runner/process/marker.ts";
import { shell } from "../../runner/testdata/test_runner.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

const ignore = !HAS_SWEEP;

/** A session with a tree, archived so long ago that its time has come. */
async function openTrash(bench: TurnBench): Promise<number> {
  const id = await bench.start("touch it");
  await bench.until(id, ({ status }) => status === "needs_input");
  await archiveSession(bench.endpoint.services, id);
  await bench.rows(
    "update sessions set trash_after = now() - interval '1 second' where id = $1",
    [id],
  );
  return id;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`Never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test({
  name:
    "[behaviour 20] the tree of a session goes when its time has come, once, and its log says so",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    await using runner = await bench.run(shell("echo work > file"));
    const id = await openTrash(bench);
    const { db } = bench.endpoint.test;
    const folder = `${runner.folder}/sessions/session-${id}`;
    equal(await exists(folder), true);
    equal((await sweepFleet(db)).trashed, 1);
    await until(async () => !await exists(folder));
    const logged = async () =>
      (await bench.rows(
        "select content from session_logs where session_id = $1 and content like 'Runner %'",
        [id],
      )).map(({ content }) => String(content));
    await until(async () => (await logged()).length > 0);
    match((await logged())[0] ?? "", /remove_tree: Removed\./);
    equal((await sweepFleet(db)).trashed, 0);
  },
});

Deno.test({
  name:
    "get_session names the bundle of a session whose tree was removed, until the session is back",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const { endpoint } = bench;
    const { db } = endpoint.test;
    await using _runner = await bench.run(
      shell("git init -q . && echo work > file"),
    );
    const id = await openTrash(bench);
    const look = async () =>
      (await endpoint.call("", "get_session", { id: String(id) })).text;
    match(await look(), /Its tree is kept until/);
    equal((await sweepFleet(db)).trashed, 1);
    await until(async () => /Its tree was removed/.test(await look()));
    match(
      await look(),
      new RegExp(
        `by runner test: Removed\\\\?\\. Saved as .*bundles/session-${id}\\\\?\\.bundle`,
      ),
    );
    await unarchiveSession(endpoint.services, id);
    equal(/Its tree was/.test(await look()), false);
  },
});

Deno.test({
  name: "a session that is back keeps its tree, whatever was ordered before",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const { db } = bench.endpoint.test;
    let id = 0;
    {
      await using _runner = await bench.run(shell("echo work > file"));
      id = await openTrash(bench);
    }
    // No runner is there to hear it.
    equal((await sweepFleet(db)).trashed, 1);
    await unarchiveSession(bench.endpoint.services, id);
    deepEqual(await bench.rows("select kind from runner_commands"), []);
    equal((await sweepFleet(db)).trashed, 0);
  },
});
