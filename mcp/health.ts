/**
 * The health report: what the catalog and root data say of themselves.
 *
 * A part that cannot be read is said so in its place; the rest of the report
 * stands. Specification: root-data section 8.
 *
 * @module
 */
import { readRootDataHealth, type RootDataHealth } from "../store/mod.ts";
import { isoTime } from "./render.ts";
import type { Services } from "./tool.ts";
import { VERSION } from "./version.ts";

/** What was left out of the catalog, as it is listed. */
const MAX_IGNORED = 100;

/** The report, with the field names of the wire. */
export interface HealthReport {
  /** `warning` when any part has something to say. */
  readonly status: "ok" | "warning";
  /** Version of this program. */
  readonly version: string;
  /** Where the catalog stands. */
  readonly catalog: Readonly<Record<string, unknown>>;
  /** Where root data stands. */
  readonly root_data_health: RootDataHealth;
}

/** Reads the report. Never rejects. */
export async function readHealth(services: Services): Promise<HealthReport> {
  const [catalog, rootData] = await Promise.all([
    readCatalogHealth(services),
    readRootDataHealth(() => services.store.db()),
  ]);
  const isFine = catalog.state === "fresh" && catalog.ignored_total === 0 &&
    rootData.status === "ok";
  return {
    status: isFine ? "ok" : "warning",
    version: VERSION,
    catalog,
    root_data_health: rootData,
  };
}

async function readCatalogHealth(
  { catalog, log }: Services,
): Promise<Record<string, unknown>> {
  // Asking for it starts a reading that is due; without any, status says why.
  const snapshot = await catalog.current().catch((error) => {
    log.warn("catalog_unavailable", { error });
    return undefined;
  });
  const status = catalog.status();
  return {
    state: status.state,
    source: status.source,
    is_example: status.isExample,
    read_at: isoTime(status.readAt ?? null),
    age_seconds: status.ageSeconds ?? null,
    stale_reason: status.staleReason ?? null,
    last_error: status.lastError === undefined ? null : {
      at: isoTime(status.lastError.at),
      reason: status.lastError.reason,
    },
    roots: status.roots,
    collections: status.collections,
    ignored_total: snapshot?.ignoredTotal ?? 0,
    ignored: snapshot?.ignored.slice(0, MAX_IGNORED) ?? [],
  };
}
