/**
 * `cortex`: serves the local CortexDB, for programs other than this one.
 *
 * @module
 */
import { Draining } from "../../mcp/mod.ts";
import { apiKeyPath, apiKeysOf, warnOfShortKeys } from "../app/api_key.ts";
import { ConfigError, settingsOf, TABLE } from "../settings/config.ts";
import {
  clientAddressOf,
  type DrainableHandler,
  hostNamesOf,
  serveUntilStopped,
} from "../app/http_server.ts";
import { print } from "../output.ts";
import { openLocalCortex } from "../app/local_cortex.ts";
import { startMemoryWork } from "../app/memory_work.ts";
import { embeddingServiceOf } from "../settings/embedding_settings.ts";
import { buildLog, buildStore } from "../app/parts.ts";
import { awaitStop } from "../app/shutdown.ts";
import { logUncaught } from "../app/uncaught.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

/** PORT is the other server's: only the flag moves this one. */
const DEFAULT_PORT = 7669;

/** The verb. */
export const cortex = defineVerb({
  summary: "Serves the local CortexDB over HTTP; prints one line when it does.",
  flags: {
    port: {
      type: "string",
      meaning: `port it listens on; default ${DEFAULT_PORT}, 0 picks one`,
    },
  },
  settings: [
    ...settingsOf("database", "log"),
    "host",
    "apiKeys",
    "allowedHosts",
    "embeddingsUrl",
    "embeddingsModel",
    "embeddingsApiKey",
  ],
  async run(call, config) {
    const wanted = portOf(call);
    using stop = awaitStop();
    const apiKeys = await apiKeysOf(config);
    const log = buildLog(config);
    warnOfShortKeys(log, apiKeys);
    await using store = buildStore(config, log);
    using _uncaught = logUncaught(log);
    await store.db(); // Must stand before the server says it is up.
    const embeddings = embeddingServiceOf(config);
    const local = openLocalCortex({ store, log }, { apiKeys, embeddings });
    return await serveUntilStopped(stop, {
      host: config.host,
      port: wanted,
      handler: guarded(local.fetch, hostNamesOf(config)),
      log,
      whileServing: () => startMemoryWork({ store, log }, embeddings),
      greet: (port) => {
        const key = config.apiKeys.length > 0
          ? "a key of API_KEYS"
          : `the key in ${apiKeyPath(config.home)}`;
        print(
          `Listening on ${
            clientAddressOf({ host: config.host, port })
          }; it opens with ${key}`,
        );
        return Promise.resolve();
      },
    });
  },
});

function portOf(call: Call): number {
  const text = textFlag(call, "port");
  if (text === undefined) return DEFAULT_PORT;
  const parsed = TABLE.port.parse(text, "--port");
  if (!parsed.ok) throw new ConfigError(parsed.problems);
  return parsed.value;
}

/**
 * Refuses host names that are not ours (a page whose name was pointed at this
 * machine would come with its own), and everything once a stop was asked for.
 */
function guarded(
  answer: (request: Request) => Promise<Response>,
  allowedHosts: readonly string[],
): DrainableHandler {
  const draining = new Draining();
  return {
    async fetch(request) {
      const { hostname } = new URL(request.url);
      if (!allowedHosts.includes("*") && !allowedHosts.includes(hostname)) {
        return refusal(403, "FORBIDDEN_HOST", "Add this host to ALLOWED_HOSTS");
      }
      if (draining.hasBegun) {
        return refusal(503, "UNAVAILABLE", "The server is stopping");
      }
      return await draining.count(() => answer(request));
    },
    drain: () => draining.begin(),
  };
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json(
    { error_code: code, message, retriable: status === 503 },
    { status, headers: status === 503 ? { "retry-after": "2" } : {} },
  );
}
