/**
 * `deno task bench [NAME…|all]`: runs benchmarks and prints what they measured.
 * Without a name it lists them.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { type Benchmark, isMet } from "./benchmark.ts";
import { describeMachine, machineText } from "./machine.ts";
import { BENCHMARKS } from "./registry.ts";
import { partText, replaceFigures, type Report } from "./report.ts";
import { openStage, type Stage } from "./stage.ts";

const HELP = `deno task bench [NAME…|all] [FLAG…]

Each benchmark runs ours and its peer or floor in turns, in one run.

${
  BENCHMARKS.map(({ name, summary, isByNameOnly }) =>
    `  ${name.padEnd(10)} ${summary}${isByNameOnly ? " (not in all)" : ""}`
  ).join("\n")
}

  --short          a few calls of each, to see that it works; its figures mean nothing
  --json FILE      writes the report there as JSON, too
  --markdown FILE  puts the figures into the table of a file such as
                   docs/performance.md, after each benchmark
  --help           this text

Quote ratios, from a machine that does nothing else.`;

function print(text: string): void {
  // deno-lint-ignore no-console -- the report
  console.log(text);
}

/** What a benchmark that is interrupted must leave behind stopped. */
let running: AsyncDisposableStack | undefined;
let stopping: Promise<void> | undefined;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    stopping ??= (running?.disposeAsync() ?? Promise.resolve())
      .finally(() => Deno.exit(1));
  });
}

async function runOne(one: Benchmark, isShort: boolean): Promise<Report> {
  await using stack = new AsyncDisposableStack();
  running = stack;
  let stage: Stage | undefined;
  const { load } = describeMachine();
  const parts = await one.run({
    isShort,
    pick: (full, short) => isShort ? short : full,
    stage: async () => stage ??= stack.use(await openStage()),
    note: (text) => print(`  … ${text}`),
  });
  return {
    name: one.name,
    summary: one.summary,
    ...(stage === undefined ? {} : { postgres: stage.version }),
    load,
    parts,
  };
}

function chosen(names: readonly string[]): readonly Benchmark[] {
  if (names.includes("all")) {
    return BENCHMARKS.filter(({ name, isByNameOnly }) =>
      isByNameOnly !== true || names.includes(name)
    );
  }
  return names.map((name) => {
    const found = BENCHMARKS.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new Error(
      `There is no benchmark "${name}"; benchmarks: all, ${
        BENCHMARKS.map(({ name }) => name).join(", ")
      }`,
    );
  });
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      short: { type: "boolean", default: false },
      json: { type: "string" },
      markdown: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const benchmarks = chosen(positionals);
  if (values.help || benchmarks.length === 0) return print(HELP);
  if (values.short && values.markdown !== undefined) {
    throw new Error("--markdown takes no figures of the short form");
  }
  const machine = describeMachine();
  print(machineText(machine));
  const reports: Report[] = [];
  for (const one of benchmarks) {
    print(`\n== ${one.name}: ${one.summary}`);
    if (one.missing !== undefined) {
      print(`  SKIPPED: ${one.missing}`);
      continue;
    }
    const report = await runOne(one, values.short);
    if (report.postgres !== undefined) print(`PostgreSQL ${report.postgres}`);
    print(report.parts.map(partText).join("\n"));
    reports.push(report);
    if (values.markdown !== undefined) {
      await writeFigures(values.markdown, reports);
    }
  }
  const bars = reports.flatMap(({ parts }) =>
    parts.flatMap(({ figures }) => figures)
  ).filter((figure) => isMet(figure) !== undefined);
  const met = bars.filter((figure) => isMet(figure) === true);
  if (values.short) print("\nShort form: the figures above mean nothing");
  else if (bars.length > 0) {
    print(`\n${met.length} of ${bars.length} bars are met`);
  }
  if (values.json !== undefined) {
    const report = {
      at: new Date().toISOString(),
      isShort: values.short,
      machine,
      benchmarks: reports,
    };
    await Deno.writeTextFile(
      values.json,
      `${JSON.stringify(report, null, 2)}\n`,
    );
  }
}

async function writeFigures(
  path: string,
  reports: readonly Report[],
): Promise<void> {
  const { cores, cpu, memoryGiB, system, deno } = describeMachine();
  const versions = new Set(reports.flatMap(({ postgres }) => postgres ?? []));
  const figures = {
    reports,
    names: BENCHMARKS.map(({ name }) => name),
    machine:
      `${cores} cores (${cpu}), ${memoryGiB} GiB, ${system}; Deno ${deno}${
        versions.size === 0 ? "" : `, PostgreSQL ${[...versions].join(", ")}`
      }.`,
  };
  const page = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, replaceFigures(page, figures));
}

try {
  await main(Deno.args);
} catch (error) {
  await stopping; // It fails when its database is taken away.
  // deno-lint-ignore no-console -- why there is no report
  console.error(error);
  Deno.exit(1);
}
