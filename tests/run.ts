/**
 * Runs the tests on one throwaway PostgreSQL: `deno task test [deno test flags]`.
 *
 * `TEST_DATABASE_URL` names a server to use instead of an embedded one.
 *
 * @module
 */
import { openCluster } from "../store/embedded/mod.ts";
import { TARGET_VARIABLE } from "./support/test_db.ts";

const SIGNALS = Deno.build.os === "windows"
  ? ["SIGINT"] as const
  : ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// Whoever ends the run ends the tests; the run itself still has to stop the
// cluster, which would outlive it.
const ended = new AbortController();
for (const signal of SIGNALS) {
  Deno.addSignalListener(signal, () => ended.abort());
}
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
    signal: ended.signal,
  }).spawn();
  ({ code } = await child.status);
} finally {
  await Deno.remove(home, { recursive: true });
}
Deno.exit(code);
