/**
 * `cortex`: serves the local CortexDB, for programs other than this one.
 *
 * @module
 */
import { Draining } from "../../mcp/mod.ts";
import { apiKeyPath, apiKeysOf } from "../app/api_key.ts";
import type { Config } from "../settings/config.ts";
import {
  addressOf,
  type DrainableHandler,
  serveUntilStopped,
} from "../app/http_server.ts";
import { print } from "../output.ts";
import { openLocalCortex } from "../app/local_cortex.ts";
import { buildParts } from "../app/parts.ts";
import { processConfig } from "../settings/read_config.ts";
import { awaitStop } from "../app/shutdown.ts";
import { logUncaught } from "../app/uncaught.ts";
import type { Verb } from "../verb.ts";

const DEFAULT_PORT = 7669;

/** The verb. */
export const cortex: Verb = {
  summary: "Serves the local CortexDB over HTTP; prints one line when it does.",
  flags: {
    port: {
      type: "string",
      meaning: `port it listens on; default ${DEFAULT_PORT}, 0 picks one`,
    },
  },
  async run(call) {
    const config = await processConfig(call);
    using stop = awaitStop();
    const apiKeys = await apiKeysOf(config);
    await using parts = buildParts(config);
    const { services, log } = parts;
    using _uncaught = logUncaught(log);
    await services.store.db(); // Must stand before the server says it is up.
    const local = openLocalCortex(services, apiKeys);
    return await serveUntilStopped(stop, {
      host: config.host,
      // PORT is the other server's; only the flag moves this one.
      port: call.flags.port === undefined ? DEFAULT_PORT : config.port,
      handler: guarded(local.fetch, config),
      log,
      greet: (port) => {
        const key = config.apiKeys.length > 0
          ? "a key of API_KEYS"
          : `the key in ${apiKeyPath(config.home)}`;
        print(
          `Listening on ${
            addressOf({ ...config, port })
          }; it opens with ${key}`,
        );
        return Promise.resolve();
      },
    });
  },
};

/**
 * Refuses host names that are not ours (a page whose name was pointed at this
 * machine would come with its own), and everything once a stop was asked for.
 */
function guarded(
  answer: (request: Request) => Promise<Response>,
  { allowedHosts }: Config,
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
