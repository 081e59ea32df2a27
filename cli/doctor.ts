/**
 * `doctor`: checks what the server needs, and says what to do about what is
 * wrong. Exit code 1 when something is.
 *
 * @module
 */
import {
  CortexRefusalError,
  CortexUnavailableError,
  type Engine,
  exactly,
  ROOT_NODE,
} from "../cortex/mod.ts";
import { readRootDataHealth } from "../store/mod.ts";
import type { Services } from "../mcp/mod.ts";
import { apiKeysOf } from "./api_key.ts";
import type { Config } from "./config.ts";
import { explain } from "./explain.ts";
import { print, printJson } from "./output.ts";
import { buildParts } from "./parts.ts";
import { processConfig } from "./read_config.ts";
import type { Verb } from "./verb.ts";

/** How a check came out. */
interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "warning" | "wrong";
  readonly detail: string;
}

/** The verb. */
export const doctor: Verb = {
  summary:
    "Checks configuration, database, catalog, memory and listening address; says what is wrong and what to do.",
  flags: { json: { type: "boolean", meaning: "print JSON" } },
  async run(call) {
    const config = await processConfig(call);
    await using parts = buildParts(config);
    const findings: Finding[] = [
      { check: "configuration", verdict: "ok", detail: "readable" },
    ];
    for (const [check, look] of Object.entries(CHECKS)) {
      try {
        findings.push(...await look(config, parts.services));
      } catch (error) {
        findings.push({
          check,
          verdict: "wrong",
          detail: explain(error).lines.join("; "),
        });
      }
    }
    const isWrong = findings.some(({ verdict }) => verdict === "wrong");
    if (call.flags.json === true) printJson({ ok: !isWrong, findings });
    else {
      for (const { check, verdict, detail } of findings) {
        print(`${verdict.padEnd(8)} ${check.padEnd(14)} ${detail}`);
      }
      print("");
      print(isWrong ? "Something is wrong, see above" : "All is well");
    }
    return isWrong ? 1 : 0;
  },
};

/** Why nothing can be listed; null when it can. */
async function listingFault(engine: Engine): Promise<string | null> {
  try {
    await engine.list({ filter: { reach: exactly(ROOT_NODE) }, limit: 1 });
    return null;
  } catch (error) {
    const isKnown = error instanceof CortexRefusalError ||
      error instanceof CortexUnavailableError;
    if (!isKnown) throw error;
    return `${error.message}; check CORTEX_API_KEY and CORTEX_ACTOR`;
  }
}

type Check = (config: Config, services: Services) => Promise<Finding[]>;

const CHECKS: Readonly<Record<string, Check>> = {
  "api keys": async (config) => {
    const keys = await apiKeysOf(config);
    const source = config.apiKeys.length > 0
      ? "from API_KEYS"
      : `generated, kept in ${config.home}`;
    return [{
      check: "api keys",
      verdict: "ok",
      detail: `${keys.length} ${source}`,
    }];
  },
  catalog: async (_config, { catalog }) => {
    const snapshot = await catalog.current();
    const stale = snapshot.stale ? `; stale: ${snapshot.staleReason}` : "";
    const ignored = snapshot.ignored.map(({ pointer, reason, level }) => ({
      check: "catalog entry",
      verdict: level === "error" ? "wrong" as const : "warning" as const,
      detail: `${pointer || "/"}: ${reason}`,
    }));
    return [{
      check: "catalog",
      verdict: snapshot.stale ? "warning" : "ok",
      detail: `${snapshot.roots.size} roots from ${
        snapshot.isExample
          ? "the built-in example: set CATALOG to your own"
          : snapshot.source
      }${stale}`,
    }, ...ignored];
  },
  database: async (_config, { store }) => {
    const db = await store.db();
    const [row] = await db.read("show server_version");
    return [{
      check: "database",
      verdict: "ok",
      detail: `PostgreSQL ${row?.server_version}, ${
        store.isEmbedded ? "embedded" : "from DATABASE_URL"
      }, schema up to date`,
    }];
  },
  "root data": async (_config, { store }) => {
    const health = await readRootDataHealth(() => store.db());
    if (health.status === "unavailable") {
      return [{ check: "root data", verdict: "wrong", detail: health.error }];
    }
    const { records, collections, namespaces } = health.totals;
    return [{
      check: "root data",
      verdict: health.status,
      detail: [
        `${records} records in ${collections} collections of ${namespaces} namespaces`,
        ...health.reasons,
      ].join("; "),
    }];
  },
  memory: async (_config, { memory }) => {
    if (memory === undefined) return [];
    const { state, message, ...facts } = await memory.health();
    const where = facts.service === "local"
      ? "the local CortexDB"
      : `${facts.service} over the ${facts.wire} wire`;
    // Health asks for no credential; a listing does.
    const fault = state === "healthy"
      ? await listingFault(await memory.engine())
      : message;
    return [{
      check: "memory",
      verdict: fault === null
        ? "ok"
        : state === "degraded"
        ? "warning"
        : "wrong",
      detail: [
        `${where}, ${facts.layout} layout below ${facts.root}`,
        ...(fault === null ? [] : [fault]),
      ].join("; "),
    }];
  },
  address: (config) => {
    const where = `${config.host}:${config.port}`;
    try {
      Deno.listen({ hostname: config.host, port: config.port }).close();
      return Promise.resolve([
        { check: "address", verdict: "ok", detail: `${where} is free` },
      ]);
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      return Promise.resolve([{
        check: "address",
        verdict: "warning",
        detail:
          `${where} is in use: by a running Rootcellar, or choose another PORT`,
      }]);
    }
  },
};
