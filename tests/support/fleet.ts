/**
 * The fleet on a test's database and a catalog that the test names.
 *
 * @module
 */
import { openCatalog } from "../../catalog/mod.ts";
import type { Fleet } from "../../fleet/mod.ts";
import { openTestDb, type TestDb } from "./test_db.ts";

/** A fleet under test. */
export interface TestFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly test: TestDb;
}

/** Opens a fleet whose catalog has these roots. */
export async function openTestFleet(
  roots: Readonly<Record<string, unknown>> = { gardener: {}, librarian: {} },
  aliases: Readonly<Record<string, string>> = {},
): Promise<TestFleet> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const source = `${folder}/roots.json`;
  await Deno.writeTextFile(source, JSON.stringify(roots));
  const catalog = stack.use(openCatalog({ source, aliases }));
  const test = stack.use(await openTestDb());
  const store = {
    isEmbedded: false,
    db: () => Promise.resolve(test.db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    fleet: { catalog, store, groupNames: ["root_data", "memory"] },
    test,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
