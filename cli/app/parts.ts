/**
 * Builds the parts of the program from its configuration, and releases them in
 * reverse order.
 *
 * @module
 */
import { type CatalogEvent, openCatalog } from "../../catalog/mod.ts";
import type { Fleet } from "../../fleet/mod.ts";
import {
  createLog,
  fleetOf,
  type Log,
  type LogLevel,
  rememberSessionRoots,
  type Services,
} from "../../mcp/mod.ts";
import { openStore } from "../../store/mod.ts";
import type { Config } from "../settings/config.ts";
import { openMemory } from "./memory.ts";

/** The built parts. Disposing releases the last one first. */
export interface Parts extends AsyncDisposable {
  /** What tools and transports are built from. */
  readonly services: Services;
  /** What the rules of sessions work on. */
  readonly fleet: Fleet;
  /** The log. */
  readonly log: Log;
}

/** Builds the parts. Opens nothing: the database opens on first use. */
export function buildParts(
  config: Config,
  standardLevel: LogLevel = "warn",
): Parts {
  const log = createLog(config.logLevel ?? standardLevel);
  const stack = new AsyncDisposableStack();
  const store = stack.use(openStore({
    databaseUrl: config.databaseUrl,
    home: config.home,
    poolSize: config.databasePool,
    report: ({ kind, ...fields }) => log.info(`database_${kind}`, fields),
  }));
  const catalog = stack.use(openCatalog({
    ...(config.catalog === undefined ? {} : { source: config.catalog }),
    cacheDirectory: `${config.home}/catalog`,
    refreshSeconds: config.catalogRefreshSeconds,
    aliases: config.catalogAliases,
    report: (event) => logCatalog(log, event),
  }));
  const services: Services = {
    catalog,
    store,
    sessionRoots: rememberSessionRoots(store),
    requireSessionToken: config.requireSessionToken,
    log,
    memory: openMemory(config.cortex, { store, log }),
  };
  return {
    services,
    fleet: fleetOf(services),
    log,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function logCatalog(log: Log, event: CatalogEvent): void {
  const { kind, ...fields } = event;
  switch (kind) {
    case "loaded":
    case "recovered":
      return log.info(`catalog_${kind}`, fields);
    default:
      return log.warn(`catalog_${kind}`, fields);
  }
}
