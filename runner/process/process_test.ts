import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import { AgentProcess, SpawnError } from "./agent_process.ts";
import { agentEnvironment, resolveVariables } from "./environment.ts";
import { findExcess } from "./limits.ts";
import { readLines } from "./line_reader.ts";
import {
  findMarked,
  HAS_SWEEP,
  killMarked,
  markerOf,
  sessionPrefix,
} from "./marker.ts";
import { superviseTurn } from "./supervisor.ts";

const ignore = !HAS_SWEEP;

/** A marker that no other test has. */
function newMarker(): string {
  return markerOf({
    runnerKey: crypto.randomUUID(),
    sessionId: 7,
    turnId: 1,
    leaseNo: 1,
  });
}

function start(script: string, marker: string): AgentProcess {
  return new AgentProcess({
    argv: ["/bin/sh", "-c", script],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    marker,
  });
}

async function readAll(process: AgentProcess): Promise<string[]> {
  return (await Array.fromAsync(process.lines)).map(({ text }) => text);
}

/** Waits for as many living processes of a marker. */
async function waitFor(marker: string, count: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while ((await findMarked(marker)).length !== count) {
    ok(performance.now() < deadline, `never ${count} processes of ${marker}`);
  }
}

Deno.test({
  name:
    "[behaviour 13] a sweep finds what an agent has left in a session of its own, with its signals ignored",
  ignore,
  async fn() {
    const marker = newMarker();
    const process = start(
      `setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 60; done' </dev/null >/dev/null 2>&1 &
       echo started`,
      marker,
    );
    deepEqual(await readAll(process), ["started"]);
    await process.status;
    await waitFor(marker, 2); // The shell and its sleep.
    equal(await process.sweep(), 2);
    deepEqual(await findMarked(marker), []);
  },
});

Deno.test({
  name:
    "a sweep finds children that dropped the marker while their parent lives",
  ignore,
  async fn() {
    const marker = newMarker();
    const process = start(
      `env -i /bin/sleep 60 & echo started; wait`,
      marker,
    );
    const first = await process.lines.next();
    equal(first.value?.text, "started");
    const reading = readAll(process);
    await waitFor(marker, 2);
    await process.sweep();
    await reading;
    deepEqual(await findMarked(marker), []);
  },
});

Deno.test({
  name:
    "[behaviour 5] killMarked() ends all turns of a session, and those of no other",
  ignore,
  async fn() {
    const runnerKey = crypto.randomUUID();
    const markers = [[7, 1], [7, 2], [70, 3]].map((
      [sessionId = 0, turnId = 0],
    ) => markerOf({ runnerKey, sessionId, turnId, leaseNo: 1 }));
    const processes = markers.map((marker) => start("exec sleep 60", marker));
    for (const marker of markers) await waitFor(marker, 1);
    equal(await killMarked(sessionPrefix({ runnerKey, sessionId: 7 })), 2);
    equal(
      (await findMarked(sessionPrefix({ runnerKey, sessionId: 70 }))).length,
      1,
    );
    for (const process of processes) {
      const reading = readAll(process);
      await process.sweep();
      await reading;
    }
  },
});

Deno.test({
  name: "a supervisor kills a turn's processes when its runner is killed",
  ignore,
  async fn() {
    const marker = newMarker();
    const runner = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "-A", "-"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = runner.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`
      import { superviseTurn } from ${
      JSON.stringify(import.meta.resolve("./supervisor.ts"))
    };
      import { AgentProcess } from ${
      JSON.stringify(import.meta.resolve("./agent_process.ts"))
    };
      superviseTurn(${JSON.stringify(marker)});
      const agent = new AgentProcess({
        argv: ["/bin/sh", "-c", "trap '' TERM; setsid sleep 60 & echo up; wait"],
        cwd: "/", env: { PATH: "/usr/bin:/bin" }, marker: ${
      JSON.stringify(marker)
    },
      });
      console.log((await agent.lines.next()).value.text);
      await agent.status;
    `));
    await writer.close();
    const lines = readLines(runner.stdout, 100);
    equal((await lines.next()).value?.text, "up");
    await waitFor(marker, 2);
    runner.kill("SIGKILL");
    await runner.status;
    await lines.return(undefined);
    await waitFor(marker, 0);
  },
});

Deno.test({
  name: "a supervisor goes when its turn is over",
  ignore,
  async fn() {
    await superviseTurn(newMarker())?.[Symbol.asyncDispose]();
  },
});

Deno.test("a program that is not there is refused by name", () => {
  try {
    new AgentProcess({
      argv: ["/nowhere/agent"],
      cwd: "/",
      env: {},
      marker: newMarker(),
    });
  } catch (error) {
    ok(error instanceof SpawnError);
    match(error.message, /"\/nowhere\/agent": it is not on this machine/);
    return;
  }
  throw new Error("It was started");
});

Deno.test({
  name: "a turn beyond its ceilings is found out, with figures",
  ignore,
  async fn() {
    const marker = newMarker();
    const process = start("sleep 60 & sleep 60 & echo up; wait", marker);
    await process.lines.next();
    await waitFor(marker, 3);
    const few = await findExcess(marker, { memoryBytes: 1e12, processes: 2 });
    match(few?.detail ?? "", /has 3 processes, and a turn may have 2/);
    const small = await findExcess(marker, { memoryBytes: 1, processes: 9 });
    equal(small?.class, "over_memory");
    equal(
      await findExcess(marker, { memoryBytes: 1e12, processes: 3 }),
      undefined,
    );
    const reading = readAll(process);
    await process.sweep();
    await reading;
  },
});

Deno.test("an agent gets what is listed, and never what opens the server", () => {
  const from = {
    PATH: "/bin",
    DATABASE_URL: "canary",
    API_KEYS: "canary",
    API_KEYS_FILE: "canary",
    PGPASSWORD: "canary",
    SECRET_OF_OTHERS: "canary",
    GEMINI_API_KEY: "key",
    MINE: "yes",
  };
  const env = agentEnvironment({
    from,
    added: ["MINE", "DATABASE_URL", "PGPASSWORD"],
    ofRuntime: ["GEMINI_API_KEY", "API_KEYS"],
    home: "/h",
    temporary: "/t",
    own: { ROOTCELLAR_SESSION: "3" },
  });
  deepEqual(env, {
    PATH: "/bin",
    GEMINI_API_KEY: "key",
    MINE: "yes",
    HOME: "/h",
    TMPDIR: "/t",
    TERM: "dumb",
    NO_COLOR: "1",
    ROOTCELLAR_SESSION: "3",
  });
});

Deno.test("variables resolve from the runner's environment, without what opens the server", () => {
  deepEqual(
    resolveVariables("Bearer ${KEY} ${NONE} ${DATABASE_URL} $KEY", {
      KEY: "k",
      DATABASE_URL: "canary",
    }),
    {
      text: "Bearer k ${NONE} ${DATABASE_URL} $KEY",
      missing: ["NONE", "DATABASE_URL"],
    },
  );
});

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts);
}

Deno.test("lines are the same wherever the output is cut into pieces", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(
      fc.string({ unit: "grapheme" }).map((text) =>
        text.replaceAll(/[\r\n]/g, " ")
      ),
    ),
    fc.array(fc.nat(40), { maxLength: 20 }),
    async (lines, cuts) => {
      const bytes = new TextEncoder().encode(
        lines.map((line) => `${line}\n`).join(""),
      );
      const at = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length]
        .sort((a, b) => a - b);
      const parts = at.map((end, n) => bytes.slice(at[n - 1] ?? 0, end));
      const read = await Array.fromAsync(readLines(streamOf(parts), 10_000));
      deepEqual(
        read.map(({ text }) => text),
        lines.map((line) => line.toWellFormed()),
      );
    },
  ));
});

Deno.test("a line beyond the limit is cut, and its size is told", async () => {
  const bytes = new TextEncoder().encode(`${"x".repeat(1_000)}\nnext`);
  deepEqual(await Array.fromAsync(readLines(streamOf([bytes]), 10)), [
    { text: "x".repeat(10), bytes: 1_000, isCut: true },
    { text: "next", bytes: 4, isCut: false },
  ]);
});

Deno.test({
  name: "writing to an agent that is gone is refused, not fatal",
  ignore,
  async fn() {
    const process = start("exit 3", newMarker());
    const reading = readAll(process);
    equal((await process.status).code, 3);
    await rejects(async () => {
      for (;;) await process.write("x".repeat(100_000));
    });
    await process.sweep();
    await reading;
  },
});
