/**
 * The runner as a process: what it says where it cannot run, and how `start`
 * runs it.
 *
 * @module
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { runnerFolder } from "../../cli/runner/runner_place.ts";
import { openHome, runVerb, startServer } from "../support/process.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const TOKEN = `rcn_1_${"A".repeat(43)}`;

/** Runs a runner that ends by itself; its exit code and what it said. */
async function failingRunner(
  server: string,
): Promise<{ readonly code: number; readonly said: string }> {
  await using home = await openHome();
  const folder = `${home.home}/runner`;
  await Deno.mkdir(folder);
  // Root's agents are others, who have to get there.
  if (Deno.build.os !== "windows") await Deno.chmod(home.home, 0o711);
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

Deno.test({
  name:
    "an agent that somebody with a narrow mask installs can be read by the agents' own user",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using home = await openHome();
    const bin = `${home.home}/bin`;
    await Deno.mkdir(bin);
    // As npm does: what it writes gets what the mask leaves.
    await Deno.writeTextFile(
      `${bin}/npm`,
      '#!/bin/sh\n[ "$1 $2" = "install --prefix" ] && mkdir "$3/node_modules"\n',
      { mode: 0o755 },
    );
    const folder = `${home.home}/runner`;
    const { code, stderr } = await new Deno.Command("/bin/sh", {
      args: [
        ...["-c", 'umask 077; exec "$0" "$@"', Deno.execPath()],
        ...["run", "-q", "--no-prompt", "--frozen", "-P=runner", MAIN],
        ...["runner", "install", "gemini", "--yes", "--folder", folder],
      ],
      env: { ...home.env, PATH: `${bin}:${Deno.env.get("PATH")}` },
      clearEnv: true,
    }).output();
    equal(code, 0, new TextDecoder().decode(stderr));
    for (const path of ["", "/node_modules"]) {
      const { mode } = await Deno.stat(`${folder}/agents/gemini${path}`);
      equal((mode ?? 0) & 0o005, 0o005, path);
    }
  },
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

Deno.test({
  name:
    "start runs a runner as its child: started again when it dies, gone with its parent, known by one token",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using home = await openHome({
      RUNNER_COMMAND: JSON.stringify(["/bin/sh", "-c", "cat; echo; env"]),
      API_KEYS: "canary-key-of-the-server",
    });
    const folder = runnerFolder(home.home);
    await using _folder = {
      [Symbol.asyncDispose]: () =>
        Deno.remove(folder, { recursive: true }).catch(() => {}),
    };
    const first = await startServer(home.env, [], { verb: "start" });
    const id = await startOne(first.url);
    await heard(first.url, id, "Hello once");
    Deno.kill(await onlyPid(folder), "SIGKILL");
    await tell(first.url, id, "Hello twice");
    const said = await heard(first.url, id, "Hello twice");
    ok(!said.includes("canary-key"), "the agent sees no key of the server");
    // The parent has no time to say goodbye.
    await first.stop("SIGKILL");
    await until(async () => (await pidsOf(folder)).length === 0);

    const second = await startServer(home.env, [], { verb: "start" });
    await tell(second.url, id, "Hello again");
    await heard(second.url, id, "Hello again");
    const { stdout } = await runVerb(["runner", "list", "--json"], home.env);
    equal(JSON.parse(stdout).length, 1);
    equal(await second.stop(), 0);
    deepEqual(await pidsOf(folder), []);
  },
});

const HEADERS = {
  "x-api-key": "canary-key-of-the-server",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

async function startOne(url: string): Promise<number> {
  const { session_id } = await callTool(url, "start_session", {
    agent_root: "gardener",
    agent_runtime: "command",
    prompt: "Hello once",
  });
  return Number(session_id);
}

async function tell(url: string, id: number, prompt: string): Promise<void> {
  await callTool(url, "action_session", {
    action: "follow_up",
    session_id: String(id),
    prompt,
  });
}

/** What a session said, once it rests after it was told this. */
async function heard(url: string, id: number, told: string): Promise<string> {
  let said = "";
  await until(async () => {
    const response = await fetch(
      `${new URL(url).origin}/api/v1/sessions/${id}/transcript`,
      { headers: HEADERS },
    );
    const { events } = await response.json() as {
      readonly events: readonly { readonly text: string | null }[];
    };
    const texts = events.map(({ text }) => text);
    said = texts.join("\n");
    const { status } = await callTool(url, "get_session", { id });
    return status === "needs_input" && texts.includes(told);
  });
  return said;
}

async function callTool(
  url: string,
  name: string,
  args: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const { result } = await response.json();
  ok(result?.isError !== true, JSON.stringify(result));
  return result.structuredContent;
}

/** Processes of a runner, by its folder among their arguments. */
async function pidsOf(folder: string): Promise<readonly number[]> {
  const { stdout } = await new Deno.Command("pgrep", {
    args: ["-f", "--", `--folder ${folder}`],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter(Boolean)
    .map(Number);
}

async function onlyPid(folder: string): Promise<number> {
  const pids = await pidsOf(folder);
  equal(pids.length, 1);
  return Number(pids[0]);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!await holds()) {
    ok(performance.now() < deadline, "It never came to be");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
