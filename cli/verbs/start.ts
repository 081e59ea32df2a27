/**
 * `start` and `serve`: the HTTP server.
 *
 * @module
 */
import {
  type Fleet,
  knownRoot,
  startClock,
  startSession,
} from "../../fleet/mod.ts";
import { createHttpHandler, entryFor } from "../../mcp/mod.ts";
import { findSessionByName } from "../../store/sessions/mod.ts";
import { sweep } from "../../store/root_data/mod.ts";
import { apiKeyPath, apiKeysOf, warnOfShortKeys } from "../app/api_key.ts";
import { startRunnerChild, wantsRunner } from "../runner/runner_child.ts";
import { agentUser } from "../runner/runner_place.ts";
import { type Config, settingsOf } from "../settings/config.ts";
import { embeddingServiceOf } from "../settings/embedding_settings.ts";
import { bracketed, reachableHost } from "../settings/hosts.ts";
import { httpConnector } from "../entry/connector.ts";
import {
  clientAddressOf,
  hostNamesOf,
  serveUntilStopped,
} from "../app/http_server.ts";
import { print } from "../output.ts";
import { buildParts, type Parts } from "../app/parts.ts";
import { reloadOnHangUp } from "../app/reload.ts";
import {
  awaitStop,
  STOP_BUT_HANG_UP,
  type StopSignal,
} from "../app/shutdown.ts";
import { startMemoryWork } from "../app/memory_work.ts";
import { scheduleSweeps } from "../app/sweep_schedule.ts";
import { logUncaught } from "../app/uncaught.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

const SERVER_SETTINGS = settingsOf(
  "database",
  "catalog",
  "fleet",
  "outside",
  "refresh",
  "http",
  "layout",
  "cortex",
  "log",
);

/** What its runner is told, too. */
const START_SETTINGS = [...SERVER_SETTINGS, ...settingsOf("runner")] as const;

type ServerConfig = Config<typeof SERVER_SETTINGS[number]>;

/** The verb for people. */
export const start = defineVerb({
  summary:
    "Starts the HTTP server with everything it needs, and prints how to connect to it.",
  flags: {
    root: {
      type: "string",
      meaning: "agent root of the printed entry; default: the catalog's first",
    },
    runner: {
      type: "string",
      meaning:
        "on, off, or auto: runs agents where RUNNER_COMMAND or AGENT_PROFILES is set, or an agent was installed; default auto",
    },
    slots: { type: "string", meaning: "turns that its runner runs at once" },
  },
  settings: START_SETTINGS,
  // A terminal that closes hangs up, so SIGHUP ends it.
  async run(call, config) {
    using stop = awaitStop();
    const hasRunner = await wantsRunner(textFlag(call, "runner"), config);
    const slots = textFlag(call, "slots");
    const greet: Greeting = (call, parts, config) =>
      sayHello(call, parts, { ...config, hasRunner });
    return await runServer(call, config, {
      stop,
      greet,
      ...(hasRunner
        ? {
          runner: ({ services, log }, server) =>
            startRunnerChild(config, {
              server,
              slots,
              store: services.store,
              log,
            }),
        }
        : {}),
    });
  },
});

/** The verb for service managers. */
export const serve = defineVerb({
  summary:
    "Starts the HTTP server; prints one line when it listens. SIGHUP reads the catalog again.",
  flags: {},
  settings: SERVER_SETTINGS,
  async run(call, config) {
    using stop = awaitStop(STOP_BUT_HANG_UP);
    const greet: Greeting = (_call, _parts, config) => {
      print(`Listening on ${clientAddressOf(config)}/mcp`);
      return Promise.resolve();
    };
    const listenToReload = reloadOnHangUp;
    return await runServer(call, config, { stop, greet, listenToReload });
  },
});

/** Says that the server listens. */
type Greeting = (
  call: Call,
  parts: Parts,
  config: ServerConfig,
) => Promise<void>;

async function runServer(
  call: Call,
  config: ServerConfig,
  { stop, greet, listenToReload, runner }: {
    readonly stop: StopSignal;
    readonly greet: Greeting;
    readonly listenToReload?: typeof reloadOnHangUp;
    /** Starts a runner for an address of this server. */
    readonly runner?: (parts: Parts, server: string) => AsyncDisposable;
  },
): Promise<number> {
  const apiKeys = await apiKeysOf(config);
  await using parts = buildParts(config, "info");
  const { services, fleet, log } = parts;
  warnOfShortKeys(log, apiKeys);
  using _reload = listenToReload?.(services.catalog, log);
  // All of it must stand before the server says that it is up.
  const catalog = await services.catalog.current();
  const root = textFlag(call, "root");
  if (root !== undefined) knownRoot(catalog, root);
  await services.store.db();
  const handler = await createHttpHandler(services, {
    apiKeys,
    allowedHosts: runner === undefined
      ? hostNamesOf(config)
      : [...hostNamesOf(config), bracketed(reachableHost(config.host))],
    allowedOrigins: config.allowedOrigins,
  });
  const { metrics } = handler;
  using _uncaught = logUncaught(log, (kind) => metrics.wentUncaught(kind));
  return await serveUntilStopped(stop, {
    host: config.host,
    port: config.port,
    handler,
    log,
    greet: (port) => greet(call, parts, { ...config, port }),
    ...(runner === undefined ? {} : {
      callers: (port) =>
        runner(parts, clientAddressOf({ host: config.host, port })),
    }),
    whileServing: () => {
      const beside = new AsyncDisposableStack();
      beside.use(startClock(fleet, {
        report: (error) => log.warn("job_failed", { error }),
        onLost: (turns) => log.warn("turns_lost", { turns }),
      }));
      beside.use(scheduleSweeps({
        sweep: async (signal) =>
          await sweep(await services.store.db(), { signal }),
        log,
        count: (report) => metrics.swept(report),
      }));
      if (config.cortexUrl === undefined) {
        beside.use(startMemoryWork(services, embeddingServiceOf(config)));
      }
      return beside;
    },
  });
}

async function sayHello(
  call: Call,
  { services, fleet }: Parts,
  config: ServerConfig & { readonly hasRunner: boolean },
): Promise<void> {
  const catalog = await services.catalog.current();
  const first = textFlag(call, "root") ?? catalog.roots.keys().next().value;
  print(`Rootcellar listens on ${clientAddressOf(config)}/mcp`);
  print(
    `Database: ${
      services.store.isEmbedded
        ? `embedded PostgreSQL in ${config.home}`
        : "the one of DATABASE_URL"
    }`,
  );
  print(
    `Catalog:  ${catalog.source}${
      catalog.isExample ? " (set CATALOG to your own)" : ""
    }`,
  );
  print(
    `API key:  ${
      config.apiKeys.length > 0
        ? "from API_KEYS"
        : `kept in ${apiKeyPath(config.home)}`
    }`,
  );
  print(
    `Runner:   ${
      config.hasRunner
        ? `runs agents here, who can do what ${
          agentUser() === undefined ? "this user" : "a user of their own"
        } can`
        : "none; deno task runner install NAME, and start again, to run agents here"
    }`,
  );
  print("");
  if (config.requireSessionToken) {
    print("Root data needs a session's token here, so no key opens it:");
    print("  deno task session start --root NAME");
    return;
  }
  if (first === undefined) return;
  const root = knownRoot(catalog, first).name;
  const session = await localSession(fleet, root);
  print(`Ready entry for .mcp.json (session ${session} of root "${root}"):`);
  const [key] = await apiKeysOf(config);
  print(
    entryFor("claude", httpConnector(config, { id: session, key }, undefined)),
  );
  print("");
  print("Other clients and roots: deno task connect --help. Ctrl-C stops.");
}

/** The session behind the printed entry: one a root, however often we start. */
async function localSession(fleet: Fleet, root: string): Promise<number> {
  const slug = `local-${
    root.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80)
  }`;
  const found = await findSessionByName(await fleet.store.db(), slug);
  if (found?.agentRootKey === root) return found.id;
  const { session } = await startSession(fleet, {
    agentRoot: root,
    title: `Local client of ${root}`.slice(0, 100),
    ...(found === undefined ? { slug } : {}),
    withToken: false,
  });
  return session.id;
}
