/**
 * The health report: what the catalog and root data say of themselves.
 *
 * A part that cannot be read, or does not answer in time, is said so in its
 * place; the rest of the report stands.
 * Specification: docs/spec/root_data.md section 8.
 *
 * @module
 */
import type { Ignored } from "../../catalog/mod.ts";
import { type FleetHealth, readFleetHealth } from "../../fleet/mod.ts";
import { isReadOnly } from "../../store/pg/mod.ts";
import {
  readRootDataHealth,
  type RootDataHealth,
} from "../../store/root_data/mod.ts";
import type { MemoryHealth } from "../memory.ts";
import { isoTime } from "../render.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";
import { TimeLimitError, withTimeLimit } from "../time_limit.ts";
import { type FleetShape, fleetShape } from "./fleet_shape.ts";

/** What was left out of the catalog, as it is listed. */
const MAX_IGNORED = 100;

/** How long memory may take to say how it is, in milliseconds. */
const MEMORY_LIMIT_MS = 2_000;
/** How long catalog and database may take, in milliseconds. */
const PART_LIMIT_MS = 5_000;

/** Where the catalog stands, with the field names of the wire. */
export interface CatalogHealth {
  /** `stale`: the last good reading is used; `empty`: there is none. */
  readonly state: "fresh" | "stale" | "empty";
  /** Where it is read from, without credentials. */
  readonly source: string;
  /** Whether it is the built-in example. */
  readonly is_example: boolean;
  /** Root of whoever names none. */
  readonly default_root: string | null;
  /** When the content in use was read. */
  readonly read_at: string | null;
  /** Its age. */
  readonly age_seconds: number | null;
  /** Why it is stale. */
  readonly stale_reason: string | null;
  /** The latest failure, kept after recovery. */
  readonly last_error: {
    readonly at: string | null;
    readonly reason: string;
  } | null;
  /** Agent roots. */
  readonly roots: number;
  /** Declared collections. */
  readonly collections: number;
  /** How much was left out. */
  readonly ignored_total: number;
  /** The first of it, each with its place and reason. */
  readonly ignored: readonly Ignored[];
}

/** The report, with the field names of the wire. */
export interface HealthReport {
  /** `warning` when any part has something to say. */
  readonly status: "ok" | "warning";
  /** When it was read. */
  readonly time: string;
  /** Version of this program. */
  readonly version: string;
  /** What it runs on. */
  readonly environment: string;
  /** Where the catalog stands. */
  readonly catalog: CatalogHealth;
  /** Where root data stands. */
  readonly root_data_health: RootDataHealth;
  /** Where memory stands; null where there is none. */
  readonly memory: MemoryHealth | null;
  /** Where sessions, jobs and runners stand. */
  readonly fleet: FleetShape;
}

/**
 * Reads the report. Never rejects, and takes seconds at most. `withCli` adds
 * what runners say of their agent programs.
 */
export async function readHealth(
  services: Services,
  options: { readonly withCli?: boolean } = {},
): Promise<HealthReport> {
  const [catalog, rootData, memory, fleet] = await Promise.all([
    readCatalogHealth(services),
    readRootData(services),
    readMemoryHealth(services),
    readFleet(services),
  ]);
  const isFine = catalog.state === "fresh" && catalog.ignored_total === 0 &&
    rootData.status === "ok" &&
    (memory === null || memory.state === "healthy") &&
    fleet.concerns.length === 0 && fleet.unreadable.length === 0;
  return {
    status: isFine ? "ok" : "warning",
    time: new Date().toISOString(),
    version: VERSION,
    environment: environmentOf(services),
    catalog,
    root_data_health: rootData,
    memory,
    fleet: fleetShape(fleet, options),
  };
}

function environmentOf({ store }: Services): string {
  const database = store.isEmbedded
    ? "embedded PostgreSQL"
    : "PostgreSQL of DATABASE_URL";
  return `${Deno.build.os} ${Deno.build.arch}, Deno ${Deno.version.deno}, ${database}`;
}

/** The fleet's part, within a limit. */
export async function readFleet(services: Services): Promise<FleetHealth> {
  try {
    return await withTimeLimit(PART_LIMIT_MS, () => readFleetHealth(services));
  } catch {
    return {
      recovery: undefined,
      lanes: undefined,
      agents: undefined,
      silent: undefined,
      runners: undefined,
      unreadable: [
        `the fleet: the database did not answer within ${
          PART_LIMIT_MS / 1_000
        } s`,
      ],
      concerns: [],
    };
  }
}

async function readRootData({ store }: Services): Promise<RootDataHealth> {
  try {
    return await withTimeLimit(PART_LIMIT_MS, async () => {
      const health = await readRootDataHealth(() => store.db());
      if (health.status === "unavailable") return health;
      const space = await store.disk?.();
      const reasons = [
        ...(await isReadOnly(await store.db())
          ? ["The database takes no writes"]
          : []),
        ...(space?.complaint === undefined ? [] : [space.complaint]),
      ];
      return reasons.length === 0 ? health : {
        ...health,
        status: "warning",
        reasons: [...reasons, ...health.reasons],
      };
    });
  } catch {
    return { status: "unavailable", error: "TimeLimitError" };
  }
}

/** Asks the memory engine, within a limit; null where there is none. */
export async function readMemoryHealth(
  { memory, log }: Services,
): Promise<MemoryHealth | null> {
  if (memory === undefined) return null;
  try {
    return await withTimeLimit(MEMORY_LIMIT_MS, () => memory.health());
  } catch (error) {
    log.warn("memory_unreadable", { error });
    const isLate = error instanceof TimeLimitError;
    return {
      state: "down",
      wire: null,
      service: null,
      layout: null,
      root: null,
      message: isLate
        ? `It did not say how it is within ${MEMORY_LIMIT_MS / 1_000} s`
        : "It could not say how it is; the server's log has the reason",
    };
  }
}

/** Where the catalog stands, with the field names of the wire. */
export async function readCatalogHealth(
  { catalog, log }: Services,
): Promise<CatalogHealth> {
  // Asking for it waits for a reading that is due; without any, status says why.
  const snapshot = await withTimeLimit(PART_LIMIT_MS, () => catalog.latest())
    .catch((error) => {
      log.warn("catalog_unavailable", { error });
      return undefined;
    });
  const status = catalog.status();
  return {
    state: status.state,
    source: status.source,
    is_example: status.isExample,
    default_root: status.defaultRoot ?? null,
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
