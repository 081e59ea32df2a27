/**
 * A catalog of 10,000 roots: reading it, finding a root in it, checking data.
 *
 * The floor of reading is `JSON.parse` of the same text.
 *
 * @module
 */
import { toAliases } from "../../catalog/aliases.ts";
import { buildContent } from "../../catalog/content.ts";
import { IgnoredList } from "../../catalog/parse/ignored.ts";
import { parseDocument } from "../../catalog/parse/parser.ts";
import { CompiledSchemas, Snapshot } from "../../catalog/snapshot.ts";
import { alternate } from "./alternate.ts";
import type { Benchmark } from "./benchmark.ts";

/** Calls that one measured time is made of, where a call takes no time. */
const SIZE = 1_000;

/** The benchmark. */
export const catalog: Benchmark = {
  name: "catalog",
  summary: "a catalog of 10,000 roots: reading, finding, checking",
  async run(bench) {
    const roots = bench.pick(10_000, 100);
    const text = rootsText(roots);
    const small = load(rootsText(10));
    const large = load(text);
    if (large.roots.size !== roots) throw new Error("Roots are missing");
    const rounds = { rounds: bench.pick(20, 1), calls: bench.pick(3, 1) };
    const loads = await alternate([
      { label: "load", once: () => load(text) },
      { label: "JSON.parse alone", once: () => JSON.parse(text) },
    ], { ...rounds, calls: 1 });
    const finds = await alternate([
      { label: "among 10", size: SIZE, once: () => find(small, 10) },
      { label: `among ${roots}`, size: SIZE, once: () => find(large, roots) },
    ], rounds);
    const root = large.findRoot("root-7");
    if (root === undefined) throw new Error("Root 7 is missing");
    const checks = await alternate([{
      label: "checkData() with a compiled schema",
      size: SIZE,
      async once() {
        for (let n = 0; n < SIZE; n++) {
          const check = await large.checkData(root, "notes", { title: "x" });
          if (!check.ok) throw new Error("Good data was refused");
        }
      },
    }], rounds);
    return [
      {
        title: `reading ${roots} roots, ${Math.round(text.length / 1e6)} MB`,
        rows: loads.rows,
        figures: [{
          label: "load over JSON.parse",
          value: loads.ratio("load", "JSON.parse alone"),
          unit: "×",
        }],
      },
      {
        title: "findRoot()",
        rows: finds.rows,
        figures: [{
          label: `among ${roots} over among 10`,
          value: finds.ratio(`among ${roots}`, "among 10"),
          unit: "×",
        }],
      },
      { title: "checking a record", rows: checks.rows, figures: [] },
    ];
  },
};

function find(snapshot: Snapshot, roots: number): void {
  for (let n = 0; n < SIZE; n++) {
    if (snapshot.findRoot(`root-${n % roots}`) === undefined) {
      throw new Error("A root was not found");
    }
  }
}

/** Text of a roots file; about 2 KB for each root. */
function rootsText(count: number): string {
  const description = "A root among many. ".repeat(95);
  return JSON.stringify(Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`root-${index}`, {
      description,
      data_collections: {
        notes: { schema: { type: "object", required: ["title"] } },
        runs: { retention_days: 30 },
      },
    }]),
  ));
}

function load(text: string): Snapshot {
  const parsed = parseDocument(text);
  if (!parsed.ok) throw new Error(`Cannot parse: ${parsed.reason}`);
  const { document } = parsed;
  const part = { kind: "roots", source: "bench", document } as const;
  const reading = { parts: [part], ignored: new IgnoredList(), excluded: [] };
  return new Snapshot({
    source: "bench",
    readAt: 0,
    isExample: false,
    content: buildContent(reading, "bench"),
    schemas: new CompiledSchemas(),
    aliases: toAliases(),
  });
}
