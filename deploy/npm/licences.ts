/**
 * Whose code is in the bundle, and under which licences. What is bundled is
 * read from its source maps, whose paths are made the same on every machine.
 *
 * @module
 */
import { dirname, join, relative, resolve } from "node:path";

/** A package whose code is in the bundle. */
export interface BundledPackage {
  /** Name on npm. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Folder that it was bundled from. */
  readonly folder: string;
}

const PACKAGE_REGEXP =
  /^(.*\/registry\.npmjs\.org\/((?:@[^/]+\/)?[^/@]+)\/(\d[^/]*))\/(.*)$/;
const LICENCE_REGEXP = /^(licen[sc]e|copying)(\.(md|txt))?$/i;

/** The packages of a bundle; its maps then name no folder of this machine. */
export async function bundledPackages(
  bundle: string,
  repository: string,
): Promise<readonly BundledPackage[]> {
  const found = new Map<string, BundledPackage>();
  for await (const { name: file } of Deno.readDir(bundle)) {
    if (!file.endsWith(".map")) continue;
    const path = join(bundle, file);
    const map: { sources: string[] } = JSON.parse(
      await Deno.readTextFile(path),
    );
    map.sources = map.sources.map((source) => {
      const absolute = source.startsWith("file:")
        ? new URL(source).pathname
        : resolve(dirname(path), source);
      const [, folder = "", name = "", version = "", rest = ""] =
        PACKAGE_REGEXP.exec(absolute) ?? [];
      if (name === "") return `rootcellar/${relative(repository, absolute)}`;
      found.set(name, { name, version, folder });
      return `npm/${name}@${version}/${rest}`;
    });
    await Deno.writeTextFile(path, JSON.stringify(map));
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The list for people: a table, then each text. @throws {Error} One has none. */
export async function licenceText(
  packages: readonly BundledPackage[],
): Promise<string> {
  const rows: string[] = [];
  const texts: string[] = [];
  for (const { name, version, folder } of packages) {
    const { license } = JSON.parse(
      await Deno.readTextFile(join(folder, "package.json")),
    );
    if (typeof license !== "string") {
      throw new Error(`${name}@${version} does not say its licence`);
    }
    rows.push(`| ${name} | ${version} | ${license} |`);
    const entries = await Array.fromAsync(Deno.readDir(folder));
    const file = entries.find((entry) => LICENCE_REGEXP.test(entry.name));
    if (file === undefined) continue;
    const text = await Deno.readTextFile(join(folder, file.name));
    texts.push(`## ${name} ${version}\n\n\`\`\`text\n${text.trim()}\n\`\`\``);
  }
  return [
    "# Code of others in this package",
    "",
    "Deno and PostgreSQL are fetched on the first start, from npm, as `runtime/package-lock.json` pins them: Deno is MIT, PostgreSQL has the PostgreSQL licence, and its packages the texts of what they hold.",
    "",
    "| package | version | licence |",
    "| --- | --- | --- |",
    ...rows,
    "",
    ...texts.flatMap((text) => [text, ""]),
  ].join("\n");
}
