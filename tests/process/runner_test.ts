/**
 * The runner as a process: what it says where it cannot run.
 *
 * @module
 */
import { deepEqual, match } from "node:assert/strict";
import { openHome } from "../support/process.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const TOKEN = `rcn_1_${"A".repeat(43)}`;

/** Runs a runner that ends by itself; its exit code and what it said. */
async function failingRunner(
  server: string,
): Promise<{ readonly code: number; readonly said: string }> {
  await using home = await openHome();
  const folder = `${home.home}/runner`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/token`, `${TOKEN}\n`);
  // As another runner holds it.
  using lock = await Deno.open(`${folder}/lock`, { create: true, write: true });
  if (server === "") await lock.lock(true);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-prompt",
      "--frozen",
      "-P=runner",
      MAIN,
      "runner",
      ...["--server", server === "" ? "http://127.0.0.1:9" : server],
      ...["--token-file", `${folder}/token`, "--folder", folder],
    ],
    env: { ...home.env, RUNNER_COMMAND: '["/bin/cat"]', LOG_LEVEL: "error" },
    clearEnv: true,
  }).output();
  return { code, said: new TextDecoder().decode(stderr).trim() };
}

Deno.test("a runner whose folder another one uses says so in one line", async () => {
  const { code, said } = await failingRunner("");
  deepEqual([code, said.split("\n").length], [1, 1], said);
  match(said, /^Another runner uses the folder .* with --folder$/);
});

Deno.test("a runner whose token opens nothing says so in one line", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ error: { message: "Not yours" } }, { status: 401 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { code, said } = await failingRunner(url);
  deepEqual([code, said.split("\n").length], [1, 1], said);
  match(said, /^The server does not take this runner: /);
});
