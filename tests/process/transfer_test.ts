import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type FireHome, openFireHome, ROOT } from "../support/fire.ts";
import { processEnv, runVerb, startVerb } from "../support/process.ts";
import { drift, fill } from "../support/root_data.ts";

const MEBIBYTE = 1024 * 1024;
const RECORDS = 100_000;
/** Below the 58 MiB of half the data, above what a heap wavers. */
const GROWTH_LIMIT = 40 * MEBIBYTE;

/** Puts 100,000 records of 1 KB into ten collections. */
async function fillHome(home: FireHome): Promise<void> {
  for (let n = 0; n < 10; n++) {
    await home.db.write(
      `insert into agent_root_records
         (namespace, collection, key, data, data_bytes, created_at, updated_at)
       select $1, $2, case when n % 2 = 0 then 'k' || n end,
         jsonb_build_object('n', n, 'text', repeat('x', 1000)), 1020 + length(n::text),
         now() + n * interval '1 ms', now() + n * interval '1 ms'
       from generate_series(1, $3::int) n`,
      [ROOT, `c${n}`, RECORDS / 10],
    );
  }
}

/** Samples the resident memory of a process while data passes. */
class MemoryWatch {
  readonly #pid: number;
  readonly #samples: number[] = [];
  #bytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Tells how much has passed; samples once a mebibyte. */
  async passed(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < (this.#samples.length + 1) * MEBIBYTE) return;
    const { stdout } = await new Deno.Command("ps", {
      args: ["-o", "rss=", "-p", String(this.#pid)],
    }).output();
    // Nothing is printed for a process that has ended.
    this.#samples.push(Number(new TextDecoder().decode(stdout)) * 1024);
  }

  /** The second half of the data needs no more memory than the first. */
  assertBounded(): void {
    const half = Math.floor(this.#samples.length / 2);
    const early = Math.max(...this.#samples.slice(0, half));
    const late = Math.max(...this.#samples.slice(half));
    ok(half > 40 && early > 0, "Too few samples");
    ok(
      late - early < GROWTH_LIMIT,
      `Memory grew from ${early / MEBIBYTE} to ${late / MEBIBYTE} MiB`,
    );
  }
}

Deno.test({
  name: "100,000 records are exported and imported in bounded memory",
  ignore: Deno.build.os === "windows", // There is no ps.
  async fn() {
    await using home = await openFireHome();
    await using other = await openFireHome();
    await fillHome(home);
    const file = await Deno.makeTempFile();
    try {
      await exportTo(file, home);
      equal(await lineCount(file), RECORDS + 1);
      await importFrom(file, other);
      const [row] = await other.db.read<{ n: number; keyed: number }>(
        "select count(*)::int as n, count(key)::int as keyed from agent_root_records",
      );
      deepEqual({ ...row }, { n: RECORDS, keyed: RECORDS / 2 });
      deepEqual(await drift(other.db), []);
    } finally {
      await Deno.remove(file);
    }
  },
});

async function exportTo(file: string, home: FireHome): Promise<void> {
  await using verb = startVerb(["export", "--namespace", ROOT], home.env);
  using out = await Deno.open(file, { write: true });
  const memory = new MemoryWatch(verb.pid);
  for await (const chunk of verb.stdout) {
    for (let at = 0; at < chunk.length;) {
      at += await out.write(chunk.subarray(at));
    }
    await memory.passed(chunk.length);
  }
  equal(await verb.code, 0);
  memory.assertBounded();
}

async function importFrom(file: string, home: FireHome): Promise<void> {
  await using verb = startVerb(["import", "-"], home.env);
  const report = new Response(verb.stdout).json();
  using input = await Deno.open(file);
  const writer = verb.stdin.getWriter();
  const memory = new MemoryWatch(verb.pid);
  for await (const chunk of input.readable) {
    await writer.write(chunk);
    await memory.passed(chunk.length);
  }
  await writer.close();
  deepEqual(await report, {
    imported: RECORDS,
    replaced: 0,
    unchanged: 0,
    refused: 0,
    kept_newer: 0,
  });
  equal(await verb.code, 0);
  memory.assertBounded();
}

async function lineCount(file: string): Promise<number> {
  using input = await Deno.open(file);
  let count = 0;
  for await (const chunk of input.readable) {
    for (const byte of chunk) if (byte === 10) count++;
  }
  return count;
}

Deno.test("export writes data only to stdout, or a file of mode 0600, and import reads both", async () => {
  await using home = await openFireHome();
  await fill(home.db, 3, { namespace: ROOT, collection: "c0" });
  const path = `${home.home}/out.jsonl`;
  const words = ["export", "--namespace", ROOT];
  const printed = await runVerb(words, home.env);
  equal(printed.code, 0, printed.stderr);
  const lines = printed.stdout.trimEnd().split("\n").map((one) =>
    JSON.parse(one)
  );
  deepEqual([lines.length, lines[0].rootcellar_export], [4, 1]);
  const written = await runVerb([...words, "--output", path], home.env);
  deepEqual([written.code, written.stdout], [0, ""], written.stderr);
  equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  for (const [source, input] of [[path, ""], ["-", printed.stdout]] as const) {
    const { code, stdout } = await runVerb(["import", source], home.env, {
      input,
    });
    deepEqual([code, JSON.parse(stdout).unchanged], [0, 3]);
  }
});

Deno.test("import names each refused line on stderr and exits with 1", async () => {
  await using home = await openFireHome();
  const record = (collection: string) =>
    JSON.stringify({ namespace: ROOT, collection, key: "k", data: {} });
  const { code, stdout, stderr } = await runVerb(["import", "-"], home.env, {
    input: [record("c1"), "{broken", record("nope"), record("c2")].join("\n"),
  });
  equal(code, 1);
  deepEqual(JSON.parse(stdout), {
    imported: 2,
    replaced: 0,
    unchanged: 0,
    refused: 2,
    kept_newer: 0,
  });
  match(stderr, /^Line 2: The line is not JSON/m);
  match(stderr, /^Line 3: Collection "nope" is not declared/m);
});

Deno.test("export and import exit with 2 when called wrongly", async () => {
  for (
    const words of [
      ["export"],
      ["export", "--namespace", "Not/valid"],
      ["export", "--namespace", ROOT, "--output", "/"],
      ["import"],
      ["import", "no-such-file"],
      ["import", "-", "--namespace", "Not/valid"],
      ["import", "-", "--no-such-flag"],
    ]
  ) {
    const { code, stdout } = await runVerb(words, processEnv());
    deepEqual([code, stdout], [2, ""], words.join(" "));
  }
});
