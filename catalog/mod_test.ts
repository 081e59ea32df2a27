import { deepEqual, ok } from "node:assert/strict";

const STATIC_IMPORT_REGEXP =
  /^(?:import|export)\s+(?!type\s)(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm;

/** Packages a file brings in when it is imported, by all it imports. */
async function packagesOf(
  file: URL,
  seen: Set<string> = new Set(),
): Promise<string[]> {
  if (seen.has(file.href) || file.pathname.endsWith(".json")) return [];
  seen.add(file.href);
  const packages: string[] = [];
  const text = await Deno.readTextFile(file);
  for (const [, name = ""] of text.matchAll(STATIC_IMPORT_REGEXP)) {
    if (name.startsWith("node:")) continue;
    if (!name.startsWith(".")) packages.push(name);
    else packages.push(...await packagesOf(new URL(name, file), seen));
  }
  return packages;
}

Deno.test("mod.ts brings in no package, so a process starts without the compiler", async () => {
  deepEqual(await packagesOf(new URL("./mod.ts", import.meta.url)), []);
});

Deno.test("collections.ts brings in the compiler and the pattern engine", async () => {
  const file = new URL("./schema/collections.ts", import.meta.url);
  const packages = await packagesOf(file);
  ok(packages.includes("ajv") && packages.includes("re2js"));
});
