import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openFolders } from "./folders.ts";
import { findMarked, HAS_SWEEP, runnerPrefix } from "./process/marker.ts";
import { ProtocolServer } from "./testdata/protocol_server.ts";
import { lockFolder } from "./runner.ts";
import { shell, startRunner } from "./testdata/test_runner.ts";

const ignore = !HAS_SWEEP;

async function keyOf(folder: string): Promise<string> {
  return (await Deno.readTextFile(`${folder}/key`)).trim();
}

Deno.test({
  name:
    "a command gets prompt, token and address, and what it prints are events in order",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using _runner = await startRunner({
      server: server.url,
      command: shell(
        `cat; echo; echo "$ROOTCELLAR_SESSION $ROOTCELLAR_TOKEN $ROOTCELLAR_URL"; pwd; echo words >&2`,
      ),
    });
    const turn = server.queue({ prompt: "Line one\nline two", session_id: 5 });
    await server.until(() => turn.isOver);
    deepEqual(turn.kinds().filter((kind) => kind !== "text"), [
      "spawned",
      "delivered",
      "ended",
    ]);
    const texts = turn.texts();
    deepEqual(texts.slice(0, 3), [
      "Line one",
      "line two",
      `5 rct_1_secret ${server.url}/mcp?tool_groups=root_data`,
    ]);
    match(String(texts[3]), /\/sessions\/session-5\/tree$/);
    const [end] = turn.ends;
    equal(end?.outcome, "done");
    equal(end?.final_seq, turn.events.length);
    deepEqual(
      turn.events.map(({ seq }) => seq),
      turn.events.map((_, n) => n + 1),
    );
  },
});

Deno.test({
  name:
    "exit codes of a command: 0 done, 75 parked without an attempt, another failed with its last words",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using _runner = await startRunner({
      server: server.url,
      command: shell(`read code; echo "last words $code" >&2; exit "$code"`),
    });
    const turns = [0, 75, 3].map((code, n) =>
      server.queue({ turn_id: n + 1, session_id: n + 1, prompt: `${code}\n` })
    );
    await server.until(() => turns.every(({ isOver }) => isOver));
    const [done, parked, failed] = turns.map(({ ends }) => ends[0]);
    equal(done?.outcome, "done");
    deepEqual([parked?.outcome, parked?.class, parked?.parked_ms], [
      "parked",
      "asked_to_wait",
      60_000,
    ]);
    deepEqual([failed?.outcome, failed?.class], ["failed", "agent_error"]);
    match(failed?.detail ?? "", /exit code 3\. last words 3/);
  },
});

Deno.test({
  name:
    "[behaviour 4] a command that was killed is crashed, not done and not failed by its own word",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using _runner = await startRunner({
      server: server.url,
      command: shell("kill -9 $$"),
    });
    const turn = server.queue();
    await server.until(() => turn.isOver);
    equal(turn.ends[0]?.class, "crashed");
  },
});

Deno.test({
  name:
    "[behaviour 15] an interrupt asks, then terminates, then kills, and says which it took",
  ignore,
  async fn() {
    const cases = [
      { how: "asked", interrupt_ms: 60_000, terminate_ms: 60_000 },
      { how: "terminated", interrupt_ms: 50, terminate_ms: 60_000 },
      { how: "killed", interrupt_ms: 50, terminate_ms: 50 },
    ];
    for (const { how, ...durations } of cases) {
      await using server = new ProtocolServer(durations);
      await using _runner = await startRunner({
        server: server.url,
        command: shell(`read how
          case $how in
            asked) trap 'exit 0' INT;;
            terminated) trap '' INT; trap 'exit 0' TERM;;
            killed) trap '' INT TERM;;
          esac
          echo up
          while :; do sleep 0.05; done`),
      });
      const turn = server.queue({ prompt: `${how}\n` });
      await server.until(() => turn.texts().length === 1);
      turn.commands = [{ id: 3, kind: "interrupt" }];
      server.change();
      await server.until(() => turn.isOver);
      const [end] = turn.ends;
      equal(end?.outcome, "interrupted");
      deepEqual(end?.commands.map(({ id, how }) => ({ id, how })), [
        { id: 3, how },
      ]);
    }
  },
});

Deno.test({
  name:
    "[behaviour 13] what an agent leaves behind is killed after the turn, and counted",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using runner = await startRunner({
      server: server.url,
      command: shell(
        `setsid sh -c 'trap "" TERM; sleep 60' </dev/null >/dev/null 2>&1 & echo left`,
      ),
    });
    const turn = server.queue();
    await server.until(() => turn.isOver);
    equal(turn.ends[0]?.outcome, "done");
    ok((turn.ends[0]?.killed_leftovers ?? 0) >= 1);
    deepEqual(await findMarked(runnerPrefix(await keyOf(runner.folder))), []);
  },
});

Deno.test({
  name:
    "[behaviour 5] a lost lease kills the agent at once, and nothing more is said of the turn",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using runner = await startRunner({
      server: server.url,
      command: shell(
        `trap '' INT TERM; read what; echo up; [ "$what" = end ] && exit 0
        while :; do sleep 0.05; done`,
      ),
    });
    const turn = server.queue({ prompt: "stay\n" });
    await server.until(() => turn.texts().length === 1);
    turn.isLost = true;
    server.change();
    const prefix = runnerPrefix(await keyOf(runner.folder));
    const deadline = performance.now() + 120_000;
    while ((await findMarked(prefix)).length > 0) {
      ok(performance.now() < deadline);
    }
    // The slot is free again, and nothing is left to be sent.
    const next = server.queue({ turn_id: 2, session_id: 2, prompt: "end\n" });
    await server.until(() => next.isOver);
    equal(turn.isOver, false);
    await runner.stop();
    equal(
      (await Array.fromAsync(Deno.readDir(`${runner.folder}/spool`))).length,
      0,
    );
  },
});

Deno.test({
  name:
    "with the server away events wait on the disk, and come whole and in order when it is back",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using runner = await startRunner({
      server: server.url,
      command: shell(
        `read flag; echo 1; while [ ! -e "$flag" ]; do sleep 0.02; done
        for n in 2 3 4 5; do echo $n; done`,
      ),
    });
    const flag = `${runner.folder}/flag`;
    const turn = server.queue({ prompt: `${flag}\n` });
    await server.until(() => turn.texts().length === 1);
    server.isAway = true;
    await Deno.writeTextFile(flag, "");
    const spool = `${runner.folder}/spool/1-1.jsonl`;
    const deadline = performance.now() + 120_000;
    while (!(await Deno.readTextFile(spool)).includes('"end"')) {
      ok(performance.now() < deadline);
    }
    equal(turn.texts().length, 1);
    server.isAway = false;
    await server.until(() => turn.isOver);
    deepEqual(turn.texts(), ["1", "2", "3", "4", "5"]);
    equal(turn.ends[0]?.outcome, "done");
  },
});

Deno.test({
  name:
    "a runner that is stopped while its server is away ends, and its successor hands the end over",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
    const flag = `${folder}/flag`;
    const first = await startRunner({
      server: server.url,
      folder,
      keepFolder: true,
      command: shell(
        `read go; echo 1; while [ ! -e "${flag}" ]; do sleep 0.02; done; echo 2`,
      ),
    });
    const turn = server.queue({ prompt: "go\n" });
    await server.until(() => turn.texts().length === 1);
    server.isAway = true;
    await Deno.writeTextFile(flag, "");
    const deadline = performance.now() + 120_000;
    const spool = `${folder}/spool/1-1.jsonl`;
    while (!(await Deno.readTextFile(spool)).includes('"end"')) {
      ok(performance.now() < deadline);
    }
    await first.stop();
    equal(turn.isOver, false);
    server.isAway = false;
    await using _second = await startRunner({ server: server.url, folder });
    await server.until(() => turn.isOver);
    deepEqual(turn.texts(), ["1", "2"]);
    equal(turn.ends[0]?.outcome, "done");
  },
});

Deno.test({
  name:
    "an end that a runner's successor does not get through at once is handed over all the same",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
    const first = await startRunner({
      server: server.url,
      folder,
      keepFolder: true,
      command: shell("read go; echo 1"),
    });
    server.dropAnswers.set("end", 1_000);
    const turn = server.queue({ prompt: "go\n" });
    await server.until(() => turn.isOver);
    await first.stop();
    const before = turn.ends.length;
    server.dropAnswers.set("end", 1);
    await using _second = await startRunner({ server: server.url, folder });
    await server.until(() => turn.ends.length === before + 2);
    deepEqual(turn.ends.at(-1), turn.ends[0]);
  },
});

Deno.test({
  name:
    "a folder that agents cannot get to is refused with the closed folder above it",
  ignore: Deno.build.os === "windows",
  async fn() {
    const closed = await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
    const folder = `${closed}/above/runner`;
    const agentUser = { uid: 64_021, gid: 64_021 };
    try {
      await rejects(openFolders(folder, agentUser), (error: Error) => {
        match(error.message, /user 64021.+chmod o\+x/);
        ok(error.message.includes(` ${closed} (its mode is 700)`));
        return true;
      });
      await rejects(Deno.stat(`${closed}/above`)); // Nothing was made.
    } finally {
      await Deno.remove(closed, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "a folder that is given back is free at once, whatever is being started meanwhile",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
    // A thread of its own: starting a child holds up the one that does it.
    const starter = new Worker(
      import.meta.resolve("./testdata/child_starter.ts"),
      { type: "module" },
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    let isOver = false;
    starter.onmessage = () => {
      isOver = true;
      resolve();
    };
    try {
      while (!isOver) {
        using _lock = await lockFolder(folder);
        // Lets the message in.
        await new Promise((done) => setTimeout(done, 0));
      }
      await promise;
    } finally {
      starter.terminate();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "answers that are lost on their way double nothing: lease, events and end are asked again",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    for (const call of ["lease", "events", "end"]) {
      server.dropAnswers.set(call, 1);
    }
    await using _runner = await startRunner({
      server: server.url,
      command: shell("cat; echo; echo done"),
    });
    const turn = server.queue({ prompt: "once" });
    await server.until(() => turn.ends.length === 2);
    deepEqual(turn.texts(), ["once", "done"]);
    deepEqual(turn.ends[0], turn.ends[1]);
  },
});

Deno.test({
  name:
    "[behaviour 5] without a good beat the agent is ended before its lease could be another's",
  ignore,
  async fn() {
    await using server = new ProtocolServer({
      fence_interrupt_ms: 1_000,
      fence_kill_ms: 1_500,
      interrupt_ms: 60_000,
    });
    await using runner = await startRunner({
      server: server.url,
      command: shell(`trap '' INT TERM; echo up; while :; do sleep 0.05; done`),
    });
    const turn = server.queue();
    await server.until(() => turn.texts().length === 1);
    server.isAway = true;
    const prefix = runnerPrefix(await keyOf(runner.folder));
    const deadline = performance.now() + 120_000;
    while ((await findMarked(prefix)).length > 0) {
      ok(performance.now() < deadline);
    }
    server.isAway = false;
    await server.until(() => turn.isOver);
    deepEqual([turn.ends[0]?.outcome, turn.ends[0]?.class], ["lost", "lost"]);
  },
});

Deno.test({
  name: "[behaviour 14] an agent that goes silent is ended as hung",
  ignore,
  async fn() {
    await using server = new ProtocolServer({ silence_ms: 500 });
    await using _runner = await startRunner({
      server: server.url,
      command: shell("echo up; exec sleep 60"),
    });
    const turn = server.queue();
    await server.until(() => turn.isOver);
    deepEqual([turn.ends[0]?.outcome, turn.ends[0]?.class], ["failed", "hung"]);
  },
});

Deno.test({
  name: "a turn beyond its time is ended, and the words say what raises it",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using _runner = await startRunner({
      server: server.url,
      command: shell("while :; do echo tick; sleep 0.05; done"),
    });
    const turn = server.queue({ max_turn_ms: 500 });
    await server.until(() => turn.isOver);
    equal(turn.ends[0]?.class, "too_long");
    match(turn.ends[0]?.detail ?? "", /max_turn_minutes/);
  },
});

Deno.test({
  name:
    "garbage, long lines and a flood are events that can be sent, and nothing stops for them",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using _runner = await startRunner({
      server: server.url,
      command: shell(`printf '\\377\\376\\000x\\n'
        head -c 3000000 /dev/zero | tr '\\0' 'y'; echo
        seq 1 20000; printf 'no end'`),
    });
    const turn = server.queue();
    await server.until(() => turn.isOver);
    equal(turn.ends[0]?.outcome, "done");
    const texts = turn.texts();
    equal(texts.length, 20_003);
    equal(texts[0], "\ufffd\ufffd\u0000x");
    ok(String(texts[1]).length < 20_000);
    match(String(texts[1]), /it had 3000000 characters/);
    equal(texts.at(-2), "20000");
    equal(texts.at(-1), "no end");
  },
});

Deno.test({
  name: "a stopped runner gives its turns back, and leaves no process",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    await using runner = await startRunner({
      server: server.url,
      command: shell("echo up; exec sleep 60"),
    });
    const turn = server.queue();
    await server.until(() => turn.texts().length === 1);
    await runner.stop();
    equal(turn.ends[0]?.outcome, "lost");
    deepEqual(await findMarked(runnerPrefix(await keyOf(runner.folder))), []);
  },
});

Deno.test({
  name:
    "[behaviour 1] a runner that was killed leaves no agent, and its successor gives the turn back at once",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
    const script = `
      import { startRunner, shell } from ${
      JSON.stringify(import.meta.resolve("./testdata/test_runner.ts"))
    };
      await startRunner({
        server: ${JSON.stringify(server.url)},
        folder: ${JSON.stringify(folder)},
        command: shell("trap '' TERM INT; echo up; setsid sleep 60; sleep 60"),
      });
      await new Promise(() => setInterval(() => {}, 1_000));
    `;
    await Deno.writeTextFile(`${folder}/first.ts`, script);
    const first = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "-A", `${folder}/first.ts`],
      stdin: "null",
    }).spawn();
    const turn = server.queue();
    await server.until(() => turn.texts().length === 1);
    first.kill("SIGKILL");
    await first.status;
    const prefix = runnerPrefix(await keyOf(folder));
    const deadline = performance.now() + 120_000;
    while ((await findMarked(prefix)).length > 0) {
      ok(performance.now() < deadline);
    }
    await using _second = await startRunner({ server: server.url, folder });
    await server.until(() => turn.isOver);
    match(turn.released?.detail ?? "", /in the middle/);
  },
});

Deno.test({
  name:
    "what the runner has in its environment stays there: no agent, no argument, no event shows it",
  ignore,
  async fn() {
    await using server = new ProtocolServer();
    const canary = `canary-${crypto.randomUUID()}`;
    await using runner = await startRunner({
      server: server.url,
      token: `rcn_1_${canary}`,
      addedNames: ["WANTED", "DATABASE_URL"],
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        WANTED: "yes",
        DATABASE_URL: canary,
        API_KEYS: canary,
        OTHER: canary,
      },
      command: shell(
        `env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '`,
      ),
    });
    const turn = server.queue();
    await server.until(() => turn.isOver);
    const said = JSON.stringify(turn.events) + JSON.stringify(turn.ends) +
      JSON.stringify(runner.reports) + JSON.stringify(turn.beats);
    ok(said.includes("WANTED=yes"));
    ok(!said.includes(canary));
  },
});

Deno.test("a catalog of an address starts no command unless the runner trusts it", async () => {
  await using server = new ProtocolServer();
  await using _runner = await startRunner({ server: server.url });
  const turn = server.queue({ is_trusted: false, command: ["/bin/true"] });
  await server.until(() => turn.isOver);
  equal(turn.ends[0]?.class, "command_untrusted");
  match(turn.ends[0]?.detail ?? "", /RUNNER_TRUST_CATALOG=on/);
  const unknown = server.queue({ turn_id: 2, runtime: "nobody" });
  await server.until(() => unknown.isOver);
  equal(unknown.ends[0]?.class, "runtime_unavailable");
});

Deno.test("a folder has one runner, and a revoked token ends it with the server's words", async () => {
  await using server = new ProtocolServer();
  await using runner = await startRunner({ server: server.url });
  await server.until(() => server.hellos.length === 1);
  await using second = await startRunner({
    server: server.url,
    folder: runner.folder,
    keepFolder: true,
  });
  await rejects(second.stop(), /Another runner uses the folder/);
  server.isRevoked = true;
  server.change();
  await rejects(runner.ended, /does not take this runner/);
});

Deno.test("commands of the server are carried out once, and acknowledged", async () => {
  await using server = new ProtocolServer();
  await using runner = await startRunner({
    server: server.url,
    command: shell("touch here"),
  });
  const turn = server.queue({ session_id: 9 });
  await server.until(() => turn.isOver);
  const tree = `${runner.folder}/sessions/session-9`;
  ok((await Deno.stat(tree)).isDirectory);
  server.runnerCommands = [{ id: 4, kind: "remove_tree", session_id: 9 }];
  server.change();
  await server.until(() => server.receipts.length > 0);
  const [{ id, ok: isDone, detail } = { id: 0, ok: false, detail: "" }] =
    server.receipts;
  deepEqual([id, isDone], [4, true]);
  // A receipt whose answer was lost is sent again; the work is not done again.
  ok(server.receipts.every((receipt) => receipt.detail === detail));
  await rejects(Deno.stat(tree), Deno.errors.NotFound);
});
