/**
 * The repository as the tests of its papers read it.
 *
 * @module
 */

/** Where it lies, with a slash at its end. */
export const REPOSITORY = new URL("../../", import.meta.url);

const SKIPPED: readonly string[] = [
  ".git",
  "coverage",
  "dist",
  "node_modules",
  "tests/clients",
  ".ci/tools",
  ".ci/out",
];

/** Paths of all files below a folder with one of the endings, sorted. */
export function filesOf(
  endings: readonly string[],
  folder = "",
): readonly string[] {
  const found: string[] = [];
  for (const { name, isDirectory } of entriesOf(folder)) {
    const path = `${folder}${name}`;
    if (SKIPPED.includes(path)) continue;
    if (isDirectory) found.push(...filesOf(endings, `${path}/`));
    else if (endings.some((ending) => name.endsWith(ending))) found.push(path);
  }
  return found;
}

/** Names of what stands at the top. */
export function topLevel(): readonly string[] {
  return entriesOf("").map(({ name }) => name)
    .filter((name) => !SKIPPED.includes(name));
}

/** The text of a file; undefined where there is none. */
export function readFile(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(path, REPOSITORY));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Whether there is a file or a folder. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(new URL(path, REPOSITORY));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** README, CONTRIBUTING and everything under docs/. */
export function papers(): readonly string[] {
  return ["README.md", "CONTRIBUTING.md", ...filesOf([".md"], "docs/")];
}

function entriesOf(folder: string): Deno.DirEntry[] {
  return [
    ...Deno.readDirSync(new URL(folder === "" ? "." : folder, REPOSITORY)),
  ]
    .sort((a, b) => a.name < b.name ? -1 : 1);
}
