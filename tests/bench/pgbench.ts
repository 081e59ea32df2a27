/**
 * The same get and put through PostgreSQL's own `pgbench` and through the
 * driver: what no program on this machine can go below.
 *
 * @module
 */
import { toContest } from "./alternate.ts";
import type { Benchmark, Part } from "./benchmark.ts";
import { GET_STATEMENT, PUT_STATEMENT, putParams } from "./records.ts";
import { fill, sessionOf, type Stage } from "./stage.ts";

const PROGRAM = findProgram();
const NAMESPACE = "pgbench";
const RECORDS = 1_000;
const JSON_TEXT = JSON.stringify({ title: "Record", body: "x".repeat(200) });
const PGBENCH = "pgbench";
const DRIVER = "postgres.js";

/** The benchmark. */
export const pgbench: Benchmark = {
  name: "pgbench",
  summary: "the statements of put and get, pgbench against postgres.js",
  missing: PROGRAM === undefined
    ? "pgbench is not installed (Debian: postgresql-15)"
    : undefined,
  async run(bench) {
    const stage = await bench.stage();
    await fill(stage.db, NAMESPACE, "c0", RECORDS);
    const sessionId = await sessionOf(stage.db, NAMESPACE);
    const sql = stage.bare();
    const put = putParams([NAMESPACE, "c0", "k0"], JSON_TEXT, sessionId);
    put[9] = 1_000_000_000; // No rate window: pgbench cannot open a new one.
    const cases = [
      ["get", GET_STATEMENT, [NAMESPACE, "c0", "k0"]],
      ["put", PUT_STATEMENT, put],
    ] as const;
    const parts: Part[] = [];
    for (const [title, text, params] of cases) {
      const times = new Map<string, number[][]>([[PGBENCH, []], [DRIVER, []]]);
      const calls = bench.pick(1_000, 20);
      for (let round = 0; round < bench.pick(8, 1); round++) {
        times.get(PGBENCH)?.push(
          await runPgbench(stage, literal(text, params), calls),
        );
        const block: number[] = [];
        for (let call = 0; call < calls; call++) {
          const began = performance.now();
          await sql.unsafe(text, params as never[], { prepare: true });
          block.push(performance.now() - began);
        }
        times.get(DRIVER)?.push(block);
      }
      const contest = toContest(times);
      parts.push({
        title,
        rows: contest.rows,
        figures: [{
          label: "postgres.js over pgbench",
          value: contest.ratio(DRIVER, PGBENCH),
          unit: "×",
        }],
      });
    }
    return parts;
  },
};

/** Latencies of so many transactions of one client, in milliseconds. */
async function runPgbench(
  { target }: Stage,
  statement: string,
  calls: number,
): Promise<number[]> {
  if (target.kind === "url") throw new Error("The stage has its own server");
  const folder = await Deno.makeTempDir({ prefix: "rc-bench-" });
  try {
    await Deno.writeTextFile(`${folder}/script.sql`, `${statement};\n`);
    const { success, stderr } = await new Deno.Command(PROGRAM ?? "", {
      args: [
        "--no-vacuum",
        "--protocol=prepared",
        `--file=${folder}/script.sql`,
        // The first one has no end before it to be counted from.
        `--transactions=${calls + 1}`,
        "--log",
        `--log-prefix=${folder}/log`,
        `--host=${target.kind === "socket" ? target.directory : "127.0.0.1"}`,
        `--port=${target.port}`,
        `--username=${target.user}`,
        target.database,
      ],
      ...(target.kind === "socket"
        ? {}
        : { env: { PGPASSWORD: target.password } }),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.startsWith("log")) continue;
      const log = await Deno.readTextFile(`${folder}/${name}`);
      // Fifth and sixth field: when the transaction ended, in seconds and
      // microseconds. The third, how long it took, is 0 for many of them in
      // pgbench 15.20; its one client is never idle.
      const ends = log.trim().split("\n").map((line) => {
        const [, , , , seconds, micros] = line.split(" ").map(Number);
        return (seconds ?? NaN) * 1_000 + (micros ?? NaN) / 1_000;
      });
      const times = ends.slice(1).map((end, at) => end - (ends[at] ?? NaN));
      if (times.length === calls && times.every((time) => time > 0)) {
        return times;
      }
      throw new Error(`pgbench logged: ${log.slice(0, 500)}`);
    }
    throw new Error("pgbench wrote no log");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The statement with its values in it; pgbench has no null to bind. */
function literal(text: string, params: readonly unknown[]): string {
  return text.replaceAll("\n", " ").replace(/\$(\d+)/g, (_, number) => {
    const value = params[Number(number) - 1];
    if (value === null || typeof value === "number") return String(value);
    return `'${String(value).replaceAll("'", "''")}'`;
  });
}

function findProgram(): string | undefined {
  const paths = [
    "pgbench",
    ...[18, 17, 16, 15, 14].map((version) =>
      `/usr/lib/postgresql/${version}/bin/pgbench`
    ),
  ];
  return paths.find((path) => {
    try {
      return new Deno.Command(path, {
        args: ["--version"],
        stdout: "null",
        stderr: "null",
      }).outputSync().success;
    } catch {
      return false;
    }
  });
}
