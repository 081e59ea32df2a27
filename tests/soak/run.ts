/**
 * `deno task soak [--minutes N] [--seed S] [--json]`: exit code 1 when anything
 * was lost, doubled, beyond a cap, out of count or left behind.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { runSoak, type SoakReport } from "./soak.ts";

function print(text: string): void {
  // deno-lint-ignore no-console -- the report
  console.log(text);
}

function table(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).toSorted()
    .map(([name, count]) => `${String(count).padStart(9)}  ${name}`).join("\n");
}

function text(report: SoakReport): string {
  const lists = {
    lost: report.lost,
    duplicated: report.duplicated,
    unexplained: report.unexplained,
    "beyond a cap": report.beyondCaps,
    "counter drift": report.drift,
    "leaked processes": report.leaked,
    "wrong answers": report.violations,
  };
  const { memory } = report;
  return [
    "Calls and processes",
    table(report.counts),
    "",
    "Faults",
    table(report.faults),
    ...report.impossible.map((name) => `        –  ${name}: not possible here`),
    "",
    `Verdict after ${report.seconds} s, seed ${report.seed}`,
    table(Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, list.length]),
    )),
    memory === undefined
      ? "        –  memory growth: too short to be judged"
      : `${
        (memory.late - memory.early).toFixed(0).padStart(9)
      }  MiB of growth of the server that lived through it (${
        memory.early.toFixed(0)
      } to ${memory.late.toFixed(0)})`,
    ...Object.values(lists).flat().slice(0, 40),
    report.ok ? "All is well" : "Something is wrong, see above",
  ].join("\n");
}

const { values } = parseArgs({
  args: Deno.args,
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const seed = Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed)) {
  print("--minutes must be a number above 0, and --seed a whole one");
  Deno.exit(2);
}
const report = await runSoak({
  seconds,
  seed,
  report: values.json ? () => {} : print,
});
print(values.json ? JSON.stringify(report) : text(report));
Deno.exit(report.ok ? 0 : 1);
