/**
 * From spawning the process to the answer of `initialize`, and from there to
 * the first `tools/list`, against the official memory server.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import { clientPath, HAS_NPM } from "../support/clients.ts";
import { processEnv } from "../support/process.ts";
import { toContest } from "./alternate.ts";
import type { Benchmark } from "./benchmark.ts";
import { INITIALIZE, requestLine } from "./pipe_client.ts";
import { packagedMain } from "./program.ts";

const OURS = "ours";
const THEIRS = "server-memory";

/** The benchmark. */
export const startup: Benchmark = {
  name: "startup",
  summary:
    "spawn to initialize and the first tools/list, against server-memory",
  missing: HAS_NPM ? undefined : "npm and Node are not installed",
  async run(bench) {
    const memory = await clientPath(
      "@modelcontextprotocol/server-memory/dist/index.js",
    );
    const home = await Deno.makeTempDir({ prefix: "rc-bench-" });
    const env = {
      ...processEnv(),
      ROOTCELLAR_HOME: home,
      MEMORY_FILE_PATH: `${home}/memory`,
    };
    const commands = [
      [OURS, Deno.execPath(), [
        ...programArguments(await packagedMain(), [
          "stdio",
          "--groups",
          "root_data",
        ]),
      ]],
      [THEIRS, "node", [memory]],
    ] as const;
    const starts = new Map<string, number[][]>();
    const lists = new Map<string, number[][]>();
    try {
      const runs = bench.pick(20, 1);
      for (let run = 0; run <= runs; run++) {
        for (const [label, program, args] of commands) {
          const [start, list] = await startTimes(program, args, env);
          if (run === 0) continue; // Fills the caches of the disk.
          starts.set(label, [...starts.get(label) ?? [], [start]]);
          lists.set(label, [...lists.get(label) ?? [], [list]]);
        }
      }
    } finally {
      await Deno.remove(home, { recursive: true });
    }
    const start = toContest(starts);
    const list = toContest(lists);
    return [
      {
        title: "spawn to initialize",
        rows: start.rows,
        figures: [{
          label: "ours over server-memory",
          value: start.ratio(OURS, THEIRS),
          unit: "×",
          bar: { atMost: 0.5 },
        }],
      },
      {
        title: "first tools/list",
        rows: list.rows,
        figures: [{
          label: "ours over server-memory",
          value: list.ratio(OURS, THEIRS),
          unit: "×",
        }],
      },
    ];
  },
};

/** Milliseconds to `initialize`, and from there to `tools/list`. */
async function startTimes(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<[start: number, list: number]> {
  const began = performance.now();
  const child = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const ask = async (line: string, expect: string) => {
    await writer.write(new TextEncoder().encode(`${line}\n`));
    let text = "";
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    if (!text.includes(expect)) throw new Error(`${program} said: ${text}`);
  };
  await ask(requestLine(1, "initialize", INITIALIZE), '"serverInfo"');
  const initialized = performance.now();
  await ask(requestLine(2, "tools/list", {}), '"inputSchema"');
  const listed = performance.now();
  await reader.cancel();
  await writer.close();
  child.kill("SIGKILL");
  await child.status;
  return [initialized - began, listed - initialized];
}
