import { buildContent } from "./content.ts";
import { toAliases } from "./aliases.ts";
import { IgnoredList } from "./ignored.ts";
import { parseDocument } from "./parser.ts";
import { CompiledSchemas, Snapshot } from "./snapshot.ts";

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
  return new Snapshot({
    source: "bench",
    readAt: 0,
    isExample: false,
    content: buildContent([part], new IgnoredList(), "bench"),
    schemas: new CompiledSchemas(),
    aliases: toAliases(),
  });
}

const small = load(rootsText(10));
const largeText = rootsText(10_000);
const large = load(largeText);
const root = large.findRoot("root-7");
if (root === undefined) throw new Error("Cannot find the root of the bench");
await large.checkData(root, "notes", { title: "warm" });

Deno.bench("load 10,000 roots, 20 MB", () => {
  load(largeText);
});

Deno.bench("findRoot() among 10", { group: "findRoot" }, () => {
  small.findRoot("root-9");
});

Deno.bench("findRoot() among 10,000", { group: "findRoot" }, () => {
  large.findRoot("root-9999");
});

Deno.bench("checkData() with a compiled schema", async () => {
  await large.checkData(root, "notes", { title: "again" });
});
