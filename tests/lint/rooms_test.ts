/** What the lint cannot see in one file: how full rooms are, and what they are for. */
import { deepEqual } from "node:assert/strict";
import { MAY_IMPORT } from "./house.ts";

const ROOT = new URL("../../", import.meta.url);
const MODULES = Object.keys(MAY_IMPORT);
/** Doors are not counted. */
const MOST_FILES = 20;

interface SourceFile {
  readonly folder: string;
  readonly name: string;
}

function sourcesIn(folder: string): SourceFile[] {
  const found: SourceFile[] = [];
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(new URL(`${folder}/`, ROOT))];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return []; // Not built yet.
    throw error;
  }
  for (const { name, isDirectory } of entries) {
    if (isDirectory) found.push(...sourcesIn(`${folder}/${name}`));
    else if (name.endsWith(".ts") && !/_(test|bench)\.ts$/.test(name)) {
      found.push({ folder, name });
    }
  }
  return found;
}

const SOURCES = MODULES.flatMap(sourcesIn);

Deno.test("no room holds more than 20 source files", () => {
  const counts = Map.groupBy(
    SOURCES.filter(({ name }) => name !== "mod.ts"),
    ({ folder }) => folder,
  );
  const halls = [...counts].filter(([, files]) => files.length > MOST_FILES)
    .map(([folder, files]) => `${folder}: ${files.length}`);
  deepEqual(halls, []);
});

/** A program of its own, whose environment is what its runner gives it. */
const AGENT = "cli/verbs/demo/agent.ts";

Deno.test("the environment is read in the room of settings only", () => {
  const readers = SOURCES.filter(({ folder, name }) =>
    folder !== "cli/settings" && !folder.endsWith("/testdata") &&
    `${folder}/${name}` !== AGENT &&
    Deno.readTextFileSync(new URL(`${folder}/${name}`, ROOT))
      .includes("Deno.env")
  ).map(({ folder, name }) => `${folder}/${name}`);
  deepEqual(readers, []);
});

Deno.test("a tool group is a folder with its name, listed in the registry", async () => {
  const { GROUPS } = await import("../../mcp/tools/registry.ts");
  const folders = SOURCES.filter(({ folder, name }) =>
    name === "group.ts" && folder.startsWith("mcp/tools/")
  ).map(({ folder }) => folder.slice("mcp/tools/".length)).sort();
  deepEqual(GROUPS.map(({ name }) => name).sort(), folders);
});

Deno.test("a tool is in the file of its name", async () => {
  const { TOOLS } = await import("../../mcp/tools/registry.ts");
  const missing = TOOLS.filter(({ group, name }) =>
    !SOURCES.some((one) =>
      one.folder === `mcp/tools/${group}` && one.name === `${name}.ts`
    )
  ).map(({ name }) => name);
  deepEqual(missing, []);
});
