/**
 * Builds the parts of the program from its configuration, and releases them in
 * reverse order.
 *
 * @module
 */
import {
  type CatalogEvent,
  type CatalogLoader,
  openCatalog,
} from "../../catalog/mod.ts";
import type { Fleet } from "../../fleet/mod.ts";
import {
  createLog,
  fleetOf,
  type Log,
  type LogLevel,
  nameOfSlackId,
  rememberSessionRoots,
  type Services,
} from "../../mcp/mod.ts";
import { homeFolder } from "../../store/embedded/home_files.ts";
import { openStore, type Store } from "../../store/mod.ts";
import type { Config, KeyOf } from "../settings/config.ts";
import { openMemoryService } from "./memory.ts";
import { callerFolder } from "../settings/environment.ts";

/** The settings of verbs that need the database alone. */
export type StoreConfig = Config<KeyOf<"database" | "log">>;

/** The settings of the catalog and its copy; how old it gets is optional. */
export type CatalogConfig =
  & Config<KeyOf<"catalog"> | "home">
  & Partial<Config<"catalogRefreshSeconds">>;

/**
 * The settings of all parts. Only HTTP asks for proof of a session: over stdio
 * whoever starts the process is trusted.
 */
export type PartsConfig =
  & StoreConfig
  & CatalogConfig
  & Config<KeyOf<"fleet" | "cortex" | "layout">>
  & Partial<Config<"requireSessionToken" | KeyOf<"outside">>>;

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
  config: PartsConfig,
  standardLevel: LogLevel = "warn",
): Parts {
  const log = buildLog(config, standardLevel);
  const stack = new AsyncDisposableStack();
  const store = stack.use(buildStore(config, log));
  const services: Services = {
    catalog: stack.use(buildCatalog(config, log)),
    store,
    sessionRoots: rememberSessionRoots(store),
    requireSessionToken: config.requireSessionToken ?? false,
    routerRoot: config.routerRoot,
    defaultRuntime: config.defaultRuntime,
    elicitationMinutes: config.elicitationMinutes,
    pricesFile: config.prices,
    outside: {
      githubToken: config.githubToken,
      githubUrl: config.githubApiUrl,
      slackToken: config.slackBotToken,
      slackName: (id) => nameOfSlackId(config.users, id),
      notifyUrl: config.notifyUrl,
    },
    usersFile: config.users,
    // What people say on the pages has an author once they sign in by name,
    // and what they say in Slack has one always.
    humanChannels: [
      ...(config.users === undefined ? [] : ["web_ui" as const]),
      ...(config.slackBotToken === undefined ? [] : ["slack" as const]),
    ],
    log,
    memory: openMemoryService(config, { store, log }),
  };
  return {
    services,
    fleet: fleetOf(services),
    log,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Builds the log alone. */
export function buildLog(
  { logLevel }: Config<"logLevel">,
  standardLevel: LogLevel = "warn",
): Log {
  return createLog(logLevel ?? standardLevel);
}

/** Builds the store alone. Opens nothing. */
export function buildStore(
  config: StoreConfig,
  log: Log = buildLog(config),
): Store {
  return openStore({
    databaseUrl: config.databaseUrl,
    home: config.home,
    poolSize: config.databasePool,
    report: ({ kind, ...fields }) => log.info(`database_${kind}`, fields),
  });
}

/** Builds the catalog alone. Reads nothing. */
export function buildCatalog(config: CatalogConfig, log: Log): CatalogLoader {
  const { catalog, catalogRefreshSeconds } = config;
  return openCatalog({
    ...(catalog === undefined ? {} : { source: catalog }),
    cwd: callerFolder(),
    cacheFolder: homeFolder(`${config.home}/catalog`),
    ...(catalogRefreshSeconds === undefined
      ? {}
      : { refreshSeconds: catalogRefreshSeconds }),
    aliases: config.catalogAliases,
    report: (event) => logCatalog(log, event),
  });
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
