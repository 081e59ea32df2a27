/** Sessions from a terminal: told, stopped, listened to. */
import { equal, match, ok } from "node:assert/strict";
import { runnerFolder } from "../../cli/runner/runner_place.ts";
import {
  openHome,
  runVerb,
  startServer,
  startVerb,
} from "../support/process.ts";

/** Says what it is told, with what would drive a terminal; "sleep" takes long. */
const AGENT = `read -r line; printf 'heard \\033[31m%s\\n' "$line"
case "$line" in *sleep*) sleep 300;; esac`;

Deno.test({
  name: "a person starts a session, hears it, tells it something and stops it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using home = await openHome({
      RUNNER_COMMAND: JSON.stringify(["/bin/sh", "-c", AGENT]),
    });
    const folder = runnerFolder(home.home);
    await using _folder = {
      [Symbol.asyncDispose]: () =>
        Deno.remove(folder, { recursive: true }).catch(() => {}),
    };
    await using server = await startServer(home.env, [], { verb: "start" });
    const session = async (...words: string[]) => {
      const { code, stdout, stderr } = await runVerb(
        ["session", ...words],
        home.env,
      );
      equal(code, 0, stderr);
      return stdout;
    };
    const shown = async () => JSON.parse(await session("show", "s", "--json"));
    const until = async (holds: (one: Record<string, unknown>) => boolean) => {
      const deadline = performance.now() + 120_000;
      for (;;) {
        const one = await shown();
        if (holds(one)) return one;
        ok(performance.now() < deadline, JSON.stringify(one));
      }
    };
    const begin = ["--root", "gardener", "--slug", "s", "--runtime", "command"];
    match(
      await session("start", ...begin, "--prompt", "hello"),
      /Session 2 of root "gardener" is started: queued as turn 1/,
    );
    await until(({ status, last_words }) =>
      status === "needs_input" && String(last_words).includes("hello")
    );
    match(
      await session("list"),
      /2 +gardener +needs_input +\d+[smh] +0 +Session 2 +heard .\[31mhello/u,
    );
    const heard = await session("log", "s");
    match(heard, /^1\.\d+ text: heard \ufffd\[31mhello$/mu);
    ok(!heard.includes("\u001b"), "nothing of it drives the terminal");

    await using following = startVerb(
      ["session", "log", "s", "--follow", "--last", "0"],
      home.env,
    );
    const reader = following.stdout.pipeThrough(new TextDecoderStream())
      .getReader();
    let text = "";
    const read = async () => {
      const { value = "", done } = await reader.read();
      text += value;
      return !done;
    };
    // It listens from then on.
    while (!text.includes("needs_input")) ok(await read(), "It heard nothing");
    match(
      await session("tell", "s", "please sleep"),
      /Session 2 is told: a turn is queued for it/,
    );
    await until(({ status, last_words }) =>
      status === "running" && String(last_words).includes("please sleep")
    );
    match(await session("tell", "s", "later"), /read when what is under way/);
    match(
      await session("show", "s"),
      /Queue: 1\+1 message\(s\)\n {2}1\. later/,
    );
    // Longer than a busy machine may need, so either answer is the right one.
    match(
      await session("stop", "s"),
      /Turn 2 of session 2 (has ended|was asked to end, and this is not conf)/,
    );
    await until(({ status }) => status === "needs_input");
    match(await session("show", "s"), /state +needs_input \(paused\) since/);
    const refused = await runVerb(["session", "stop", "s"], home.env);
    equal(refused.code === 0, false);
    match(refused.stderr, /only a running one can be paused/);
    const kept = await runVerb(["session", "archive", "s"], home.env);
    match(kept.stderr, /1 message\(s\) still to be said: 1\. "later"/);
    await session("archive", "s", "--force");
    equal(await following.code, 0);
    while (await read());
    match(text, /2\.\d+ text: heard \ufffd\[31mplease sleep/u);
    match(text, /— .* archived —/);
    ok(!text.includes("hello"), "what was said before was not asked for");
    equal(await server.stop(), 0);
  },
});

Deno.test("what session verbs cannot do is said in one line", async () => {
  await using home = await openHome();
  for (
    const [words, says] of [
      [["tell"], /id or slug is missing/],
      [["tell", "404", "x"], /Session not found: 404/],
      [["stop", "404"], /Session not found: 404/],
      [["log", "404"], /Session not found: 404/],
      [["show", "1", "x"], /session show takes no word "x"/],
      [["list", "--status", "done"], /--status must be one of running/],
    ] as const
  ) {
    const { code, stderr } = await runVerb(["session", ...words], home.env);
    equal(code, 2, words.join(" "));
    match(stderr, says);
  }
  await runVerb(["session", "start", "--root", "gardener"], home.env);
  for (
    const [words, says] of [
      [["tell", "1"], /session tell needs what to say/],
      [["tell", "1", " "], /prompt is blank/],
      [["log", "1", "--last", "many"], /--last must be a number/],
    ] as const
  ) {
    const { code, stderr } = await runVerb(["session", ...words], home.env);
    equal(code === 0, false, words.join(" "));
    match(stderr, says);
  }
  const { stdout } = await runVerb(["session", "tell", "1", "hi"], home.env);
  match(stdout, /only the client that drives this session reads its queue/);
});
