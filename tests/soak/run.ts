/**
 * `deno task soak [--minutes N] [--seed S] [--json]`: exit code 1 when anything
 * was lost, doubled, out of order, beyond a cap, out of count, wrongly answered
 * or left behind. With `--turns N`
 * it is that many turns of sessions on three runners, at real durations, while
 * servers, runners, agents and PostgreSQL are killed.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { runChaos } from "../chaos/chaos.ts";
import { runSoak, type SoakReport } from "./soak.ts";

/** Messages to each session. */
const MESSAGES = 10;
/** Turns for each kill, about. */
const TURNS_A_KILL = 4;

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
    turns: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const seed = Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed)) {
  print("--minutes must be a number above 0, and --seed a whole one");
  Deno.exit(2);
}
if (values.turns !== undefined) Deno.exit(await soakTurns(values.turns));
const report = await runSoak({
  seconds,
  seed,
  pace: "real",
  report: values.json ? () => {} : print,
});
print(values.json ? JSON.stringify(report) : text(report));
Deno.exit(report.ok ? 0 : 1);

async function soakTurns(text: string): Promise<number> {
  const turns = Number(text);
  if (!Number.isInteger(turns) || turns < MESSAGES) {
    print(`--turns must be a whole number from ${MESSAGES}`);
    return 2;
  }
  const report = await runChaos({
    sessions: Math.ceil(turns / MESSAGES),
    messages: MESSAGES,
    kills: Math.ceil(turns / TURNS_A_KILL),
    seed,
    durations: import.meta.resolve("../chaos/real_turns.ts"),
    limitMs: 3_600_000,
    report: values.json ? () => {} : print,
  });
  if (values.json) print(JSON.stringify(report));
  else {
    print("");
    print(table(report.kills));
    print(`${report.done} turns done, ${report.looks} looks, seed ${seed}`);
    for (const line of report.violations) print(line);
    print(
      report.violations.length === 0 ? "All is well" : "Something is wrong",
    );
  }
  return report.violations.length === 0 ? 0 : 1;
}
