/**
 * `deno task bench startup`: from spawning the process to the answer of
 * `initialize`, against the official memory server, in turns.
 *
 * @module
 */
import { programArguments } from "../../cli/entries.ts";
import { clientPath } from "../support/clients.ts";
import { median } from "./load.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "0" },
  },
});

/** Medians in milliseconds, and ours as a part of theirs. */
export interface StartupReport {
  readonly runs: number;
  readonly ours: number;
  readonly serverMemory: number;
  readonly ratio: number;
}

/** Starts both servers in turns. */
export async function benchStartup(runs: number): Promise<StartupReport> {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const memory = await clientPath(
    "@modelcontextprotocol/server-memory/dist/index.js",
  );
  const home = await Deno.makeTempDir();
  try {
    const env = { ROOTCELLAR_HOME: home, MEMORY_FILE_PATH: `${home}/memory` };
    const ours: number[] = [];
    const theirs: number[] = [];
    const arguments_ = programArguments(main, [
      "stdio",
      "--groups",
      "root_data",
    ]);
    for (let run = 0; run <= runs; run++) {
      const mine = await startTime(Deno.execPath(), arguments_, env);
      const other = await startTime("node", [memory], env);
      if (run === 0) continue; // The first start fills the caches of the disk.
      ours.push(mine);
      theirs.push(other);
    }
    const [a, b] = [median(ours), median(theirs)];
    return { runs, ours: a, serverMemory: b, ratio: a / b };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function startTime(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const began = performance.now();
  const child = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${INITIALIZE}\n`));
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const took = performance.now() - began;
  if (!new TextDecoder().decode(value).includes('"serverInfo"')) {
    throw new Error(`${program} did not answer`);
  }
  await reader.cancel();
  await writer.close();
  child.kill("SIGKILL");
  await child.status;
  return took;
}
