/** `records`, and what export says of a namespace that holds nothing. */
import { deepEqual, equal, match } from "node:assert/strict";
import { openFireHome, ROOT } from "../support/fire.ts";
import { processEnv, runVerb } from "../support/process.ts";
import { drift, fill } from "../support/root_data.ts";

Deno.test("[case 77] records shows, and changes only with --yes", async () => {
  await using home = await openFireHome();
  await fill(home.db, 30, { namespace: ROOT, collection: "c0" });
  await fill(home.db, 3, { namespace: ROOT, collection: "c1" });
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runVerb(
      ["records", ...words],
      home.env,
    );
    return { code, stderr, shown: JSON.parse(stdout) };
  };
  const empty = ["empty", "--namespace", ROOT, "--collection", "c0"];
  const preview = await run(...empty);
  deepEqual([preview.code, preview.shown.deleted], [0, 0]);
  equal(preview.shown.collections[0].records, 30);
  match(preview.stderr, /Nothing was changed: --yes does it/);
  equal((await run(...empty, "--yes")).shown.deleted, 30);
  const move = ["move", "--from", ROOT, "--to", "elsewhere"];
  equal((await run(...move)).shown.done, false);
  const moved = await run(...move, "--yes");
  deepEqual(moved.shown.collections, [
    { collection: "c1", moved: 3, stay_key_taken: 0, stay_no_room: 0 },
  ]);
  const list = await run("list");
  deepEqual(
    list.shown.namespaces.map((one: { namespace: string }) => one.namespace),
    ["elsewhere"],
  );
  const drop = ["drop", "--namespace", "elsewhere"];
  equal((await run(...drop)).shown.collections[0].records, 3);
  equal((await run(...drop, "--yes")).shown.deleted, 3);
  const gone = await run(...drop, "--yes");
  equal(gone.code, 1);
  match(gone.stderr, /Nothing is stored there: is "elsewhere" the right name/);
  deepEqual(await drift(home.db), []);
});

Deno.test("an export of a namespace that holds nothing says so and exits with 1", async () => {
  await using home = await openFireHome();
  const { code, stderr } = await runVerb(
    ["export", "--namespace", "typo"],
    home.env,
  );
  equal(code, 1);
  match(stderr, /Exported 0 records.*\nNothing is stored there/);
});

Deno.test("records exits with 2 when called wrongly", async () => {
  for (
    const words of [
      [],
      ["wipe"],
      ["empty", "--namespace", ROOT],
      ["drop"],
      ["drop", "--namespace", ROOT, "--collection", "c0"],
      ["move", "--from", ROOT],
      ["move", "--namespace", ROOT],
      ["list", "--yes"],
    ]
  ) {
    const { code, stdout } = await runVerb(["records", ...words], processEnv());
    deepEqual([code, stdout], [2, ""], words.join(" "));
  }
});
