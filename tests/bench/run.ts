/**
 * Benchmarks: `deno task bench [http|startup] [--json]`. Without a name, the
 * micro benchmarks of `deno bench` run.
 *
 * @module
 */
import { benchHttp, type HttpReport } from "./http.ts";
import { benchStartup, type StartupReport } from "./startup.ts";

const [name] = Deno.args;
const isJson = Deno.args.includes("--json");

function print(text: string): void {
  // deno-lint-ignore no-console -- the report
  console.log(text);
}

function httpTable({ machine, rows, ratios }: HttpReport): string {
  const lines = rows.map(({ label, rate, p50, p99 }) =>
    `${label.padEnd(26)}${rate.toFixed(0).padStart(8)}/s  p50 ${
      p50.toFixed(2)
    } ms  p99 ${p99.toFixed(2)} ms`
  );
  return [
    `list_root_collections over HTTP, no session, no database; ${machine}`,
    ...lines,
    `ours over plain: ${ratios.legacy.toFixed(2)} legacy, ${
      ratios.modern.toFixed(2)
    } modern (target: 2 or more)`,
  ].join("\n");
}

function startupTable({ runs, ours, serverMemory, ratio }: StartupReport) {
  return [
    `spawn to initialize, median of ${runs}`,
    `ours           ${ours.toFixed(0)} ms`,
    `server-memory  ${serverMemory.toFixed(0)} ms`,
    `ours over server-memory: ${ratio.toFixed(2)} (target: 0.75 or less)`,
  ].join("\n");
}

switch (name) {
  case "http": {
    const report = await benchHttp({ rounds: 3, seconds: 3, connections: 32 });
    print(isJson ? JSON.stringify(report) : httpTable(report));
    break;
  }
  case "startup": {
    const report = await benchStartup(15);
    print(isJson ? JSON.stringify(report) : startupTable(report));
    break;
  }
  default: {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["bench", "--frozen", "-P=test", ...Deno.args],
    }).spawn().status;
    Deno.exit(code);
  }
}
