/**
 * catalog: what agent roots declare.
 *
 * A loader reads an AIR file (`air.json`) or a roots file (`roots.json`) from a
 * path or URL, keeps the last good reading, and answers what a root declares.
 * Parsing never throws; what was left out is listed with its place and reason.
 *
 * @example
 * ```ts
 * import { openCatalog } from "./mod.ts";
 *
 * await using catalog = openCatalog({ cwd: "/nowhere" });
 * const snapshot = await catalog.current();
 * const root = snapshot.findRoot("gardener");
 * if (root) await snapshot.checkData(root, "runs", { anything: true });
 * ```
 *
 * @module
 */

export { openCatalog } from "./loader.ts";
export { checkCatalog } from "./check/check.ts";
export type { ArtifactFile, ArtifactReading } from "./source/artifact_files.ts";
export { ArtifactFiles } from "./source/artifact_files.ts";
export type { CacheFolder } from "./source/cache.ts";
export type { CheckedRoot, CheckOptions, CheckReport } from "./check/check.ts";
export type { Finding } from "./check/finding.ts";
export type {
  CatalogCacheEvent,
  CatalogDeclarationEvent,
  CatalogEvent,
  CatalogFailedEvent,
  CatalogLoadedEvent,
  CatalogRecoveredEvent,
} from "./events.ts";
export type { RootDefaults } from "./defaults.ts";
export { CatalogUnavailableError, DeclarationError } from "./errors.ts";
export type { DeclarationErrorCode } from "./errors.ts";
export { BUILT_IN_SOURCE } from "./source/location.ts";
export { decideBy } from "./decide.ts";
export { namespaceProblem } from "./parse/namespace.ts";
export type { ResolvedNamespace } from "./parse/namespace.ts";
export { firstLookAlike, lookAlikeNote } from "./look_alike.ts";
export { leftOut, staleNote } from "./remarks.ts";
export { MAX_RETENTION_DAYS } from "./parse/declarations.ts";
export { cutText, formatProblems } from "./parse/problems.ts";
export type { SchemaVerdict } from "./schema/apply.ts";
export { checkAgainst } from "./schema/apply.ts";
export { measureSchema } from "./schema/schema_facts.ts";
export type {
  AgentRoot,
  Artifact,
  ArtifactIndex,
  ArtifactKind,
  CatalogFailure,
  CatalogLoader,
  CatalogOptions,
  CatalogSnapshot,
  CatalogState,
  CatalogStatus,
  CollectionDeclaration,
  DataCheck,
  DataMismatch,
  Ignored,
  IgnoredLevel,
  Problem,
  RootPermission,
} from "./types.ts";
