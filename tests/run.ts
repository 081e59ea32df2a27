/**
 * Runs the tests on one throwaway PostgreSQL: `deno task test [deno test flags]`.
 *
 * `TEST_DATABASE_URL` names a server to use instead of an embedded one.
 *
 * @module
 */
import { openCluster } from "../store/mod.ts";
import { TARGET_VARIABLE } from "./support/test_db.ts";

const home = await Deno.makeTempDir({ prefix: "rootcellar-test-" });
let code: number;
try {
  await using stack = new AsyncDisposableStack();
  const target = Deno.env.has("TEST_DATABASE_URL")
    ? { kind: "url", url: Deno.env.get("TEST_DATABASE_URL") }
    : stack.use(await openCluster({ home })).target;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-prompt",
      "--frozen",
      "-P=test",
      "--parallel",
      ...Deno.args,
    ],
    env: { [TARGET_VARIABLE]: JSON.stringify(target) },
  }).spawn();
  ({ code } = await child.status);
} finally {
  await Deno.remove(home, { recursive: true });
}
Deno.exit(code);
