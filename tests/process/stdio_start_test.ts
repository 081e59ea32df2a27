import { deepEqual, ok } from "node:assert/strict";

/** Every file that starting `stdio` loads, before anything is called. */
async function loadedBy(entry: string): Promise<string[]> {
  const url = new URL(entry, import.meta.url);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "info",
      "--json",
      "--no-lock",
      "--config",
      new URL("../../deno.json", import.meta.url).pathname,
      url.pathname,
    ],
    stderr: "null",
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  const byName = new Map<
    string,
    {
      dependencies?: {
        specifier: string;
        isDynamic?: boolean;
        code?: { specifier: string };
      }[];
    }
  >(
    modules.map((one: { specifier: string }) => [one.specifier, one]),
  );
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const one of byName.get(name)?.dependencies ?? []) {
      if (one.isDynamic !== true && one.code !== undefined) {
        visit(one.code.specifier);
      }
    }
  };
  visit(url.href);
  return [...seen];
}

Deno.test("starting stdio loads neither driver, web framework nor schema compiler", async () => {
  const loaded = [
    ...await loadedBy("../../main.ts"),
    ...await loadedBy("../../cli/verbs/stdio.ts"),
  ];
  ok(loaded.some((name) => name.includes("@modelcontextprotocol/server")));
  for (
    const name of [
      "npm:postgres@",
      "npm:/postgres@",
      "hono",
      "prometheus",
      "npm:ajv",
      "npm:/ajv",
      "re2js",
      "/embedded/cluster.ts",
    ]
  ) {
    ok(!loaded.some((one) => one.includes(name)), name);
  }
  // What memory is called by may be known; what it does is loaded by a call.
  const cortex = new URL("../../cortex/", import.meta.url).href;
  const ofCortex = loaded.filter((name) => name.startsWith(cortex))
    .map((name) => name.slice(cortex.length));
  deepEqual([...new Set(ofCortex)].sort(), ["errors.ts", "words.ts"]);
});
