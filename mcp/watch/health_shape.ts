/**
 * Schemas of the health report, as the tool and REST show it.
 *
 * @module
 */
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  wordOf,
} from "../schema.ts";
import { FLEET_HEALTH } from "./fleet_shape.ts";

/** Where the catalog stands. */
export const CATALOG_HEALTH = objectOf({
  state: wordOf(["fresh", "stale", "empty"]),
  source: TEXT,
  is_example: FLAG,
  default_root: orNull(TEXT),
  read_at: orNull(TIME),
  age_seconds: orNull(COUNT),
  stale_reason: orNull(TEXT),
  last_error: orNull(objectOf({ at: orNull(TIME), reason: TEXT })),
  roots: COUNT,
  collections: COUNT,
  ignored_total: COUNT,
  ignored: listOf(objectOf({
    source: TEXT,
    pointer: TEXT,
    reason: TEXT,
    level: wordOf(["error", "warning"]),
  })),
});

/** Where root data stands; all but `status` only where it can be read. */
export const ROOT_DATA_HEALTH = objectOf({
  status: wordOf(["ok", "warning", "unavailable"]),
}, {
  error: { ...TEXT, description: "Only when it is unavailable" },
  reasons: listOf(TEXT),
  totals: objectOf({
    namespaces: COUNT,
    collections: COUNT,
    records: COUNT,
    bytes: COUNT,
  }),
  namespaces: listOf(objectOf({
    namespace: TEXT,
    collections: COUNT,
    records: COUNT,
    bytes: COUNT,
    last_write_at: orNull(TIME),
  })),
  namespaces_omitted: COUNT,
  overdue: objectOf({
    records: COUNT,
    is_floor: FLAG,
    oldest_expires_at: orNull(TIME),
    threshold_hours: COUNT,
  }),
  near_cap: listOf(objectOf({
    namespace: TEXT,
    collection: TEXT,
    records: COUNT,
    limit: COUNT,
    pct: COUNT,
  })),
  last_recount_at: orNull(TIME),
});

/** Where memory stands. */
export const MEMORY_HEALTH = objectOf({
  state: wordOf(["healthy", "degraded", "down"]),
  wire: orNull(wordOf(["direct", "hosted"])),
  service: orNull(TEXT),
  layout: orNull(wordOf(["legacy", "v3"])),
  root: orNull(TEXT),
  message: orNull(TEXT),
});

/** The report. */
export const HEALTH = objectOf({
  status: wordOf(["ok", "warning"]),
  time: TIME,
  version: TEXT,
  environment: TEXT,
  catalog: CATALOG_HEALTH,
  root_data_health: ROOT_DATA_HEALTH,
  memory: orNull(MEMORY_HEALTH),
  fleet: FLEET_HEALTH,
});
