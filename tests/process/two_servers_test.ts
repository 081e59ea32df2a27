/** The way of docs/scale.md from one server to one for each group of roots. */
import { deepEqual, equal, match } from "node:assert/strict";
import { openHome, runVerb, startStdio } from "../support/process.ts";

const STAYS = { data_collections: { notes: {} } };
const MOVES = { data_collections: { notes: { retention_days: 30 } } };

Deno.test("a root moves to a server of its own with all it stored", async () => {
  await using first = await openHome();
  await using second = await openHome();
  const catalogs = {
    both: `${first.home}/both.json`,
    left: `${first.home}/left.json`,
    moved: `${second.home}/moved.json`,
  };
  const write = (path: string, roots: object) =>
    Deno.writeTextFile(path, JSON.stringify(roots));
  await write(catalogs.both, { stays: STAYS, moves: MOVES });
  await write(catalogs.left, { stays: STAYS });
  await write(catalogs.moved, { moves: MOVES });
  const a = { ...first.env, CATALOG: catalogs.both };
  const b = { ...second.env, CATALOG: catalogs.moved };
  for (const root of ["stays", "moves"]) {
    await using server = startStdio(["--root", root], a);
    for (const key of ["k1", "k2"]) {
      await server.call("put_root_record", {
        collection: "notes",
        key,
        data: { root, key },
      });
    }
    await server.end();
  }

  // Out of the first catalog, so that nothing is written there any more.
  const left = { ...a, CATALOG: catalogs.left };
  {
    await using server = startStdio(["--root", "moves"], left);
    const refused = await server.call("put_root_record", {
      collection: "notes",
      key: "k3",
      data: {},
    });
    match(refused.content[0].text, /"moves" is not in the catalog/);
    await server.end();
  }
  const file = `${first.home}/moves.jsonl`;
  const run = async (
    words: string[],
    env: Readonly<Record<string, string>>,
  ) => {
    const { code, stdout, stderr } = await runVerb(words, env);
    equal(code, 0, stderr);
    return stdout;
  };
  await run(["export", "--namespace", "moves", "--output", file], left);
  await run(["import", file], b);
  await run(["import", file], b); // A second time changes nothing.
  await run(["records", "drop", "--namespace", "moves", "--yes"], left);

  await using server = startStdio(["--root", "moves"], b);
  const { structuredContent: page } = await server.call(
    "search_root_records",
    { collection: "notes", order: "oldest" },
  );
  deepEqual(
    page.records.map((one: { data: object }) => one.data),
    [{ root: "moves", key: "k1" }, { root: "moves", key: "k2" }],
  );
  await server.end();
  await using stayed = startStdio(["--root", "stays"], left);
  const { structuredContent: rest } = await stayed.call(
    "search_root_records",
    { collection: "notes" },
  );
  equal(rest.total, 2);
  await stayed.end();
});
