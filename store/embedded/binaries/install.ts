/**
 * What must be on disk before the server can start: binaries and data.
 *
 * @module
 */
import type { DatabaseTarget } from "../../pg/db.ts";
import { ClusterError } from "../errors.ts";
import type { ClusterFolders } from "../folders.ts";
import { initializeData, removeNewData } from "../initdb.ts";
import { type BinaryPackage, locateBinaries } from "./locate.ts";
import { readFile } from "../owner_files.ts";
import { removeOtherVersions, unpackBinaries } from "./unpack.ts";

/**
 * Makes binaries and data where they are missing; answers the folder of the
 * binaries. The caller holds the start lock.
 *
 * @throws {ClusterError} Codes `unsupported_platform`, `other_major_version`,
 * `unpack_failed` and `initdb_failed`.
 */
export async function install(
  folders: ClusterFolders,
  target: DatabaseTarget,
  onStep: (step: "unpacking" | "initializing") => void,
): Promise<string> {
  const source = await locateBinaries();
  const version = await dataVersion(folders);
  if (version !== undefined) assertMajor(folders, version, source);
  const binaries = await unpackBinaries(
    folders,
    source,
    () => onStep("unpacking"),
  );
  await removeNewData(folders);
  if (version === undefined) {
    onStep("initializing");
    await initializeData(folders, binaries, target);
  }
  return binaries;
}

/** Removes binaries that this release does not use, after a start of its own. */
export async function tidyBinaries(folders: ClusterFolders): Promise<void> {
  await removeOtherVersions(folders, await locateBinaries());
}

/**
 * Refuses data of another major version, which these binaries cannot read.
 *
 * @throws {ClusterError} Codes `other_major_version` and
 * `unsupported_platform`.
 */
export async function assertUsableData(folders: ClusterFolders): Promise<void> {
  const version = await dataVersion(folders);
  if (version === undefined) return;
  assertMajor(folders, version, await locateBinaries());
}

function assertMajor(
  folders: ClusterFolders,
  version: string,
  source: BinaryPackage,
): void {
  if (version === source.major) return;
  throw new ClusterError(
    "other_major_version",
    `Cannot use the data in "${folders.data}": PostgreSQL ${version} made it and this release brings PostgreSQL ${source.major}; start the earlier release, export the data with pg_dump through the socket in "${folders.run}", move the folder away, start this release and import it; or set DATABASE_URL to a PostgreSQL server`,
  );
}

/** Content of `PG_VERSION`; undefined when there is no data folder yet. */
export async function dataVersion(
  { files, owner }: ClusterFolders,
): Promise<string | undefined> {
  const bytes = await readFile(files.version, owner);
  return bytes && new TextDecoder().decode(bytes).trim();
}
