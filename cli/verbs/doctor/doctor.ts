/**
 * `doctor`: checks what the server needs, and says what to do about what is
 * wrong. Exit code 1 when something is.
 *
 * @module
 */
import type { DiskSpace } from "../../../store/mod.ts";
import { readRootDataHealth } from "../../../store/root_data/mod.ts";
import type { Services } from "../../../mcp/mod.ts";
import {
  apiKeyPath,
  apiKeysOf,
  countShortKeys,
  MIN_KEY_CHARACTERS,
} from "../../app/api_key.ts";
import { type Config, type Given, KEYS } from "../../settings/config.ts";
import { proxyNames } from "../../settings/environment.ts";
import { explain } from "../../explain.ts";
import type { Finding } from "./finding.ts";
import { checkFleet } from "./fleet_check.ts";
import { checkMemory } from "./memory_check.ts";
import { print, printJson, toLine } from "../../output.ts";
import { buildParts } from "../../app/parts.ts";
import { checkRunner } from "./runner_check.ts";
import { checkServer } from "./server_check.ts";
import { defineVerb } from "../../verb.ts";

/** The verb. */
export const doctor = defineVerb({
  summary:
    "Checks configuration, database, catalog, fleet, memory and the running server; says what is wrong and what to do.",
  flags: { json: { type: "boolean", meaning: "print JSON" } },
  settings: KEYS,
  async run(call, config) {
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
        print(toLine(`${verdict.padEnd(8)} ${check.padEnd(14)} ${detail}`));
      }
      print("");
      print(isWrong ? "Something is wrong, see above" : "All is well");
    }
    return isWrong ? 1 : 0;
  },
});

type Check = (
  config: Config & Given,
  services: Services,
) => Promise<Finding[]>;

const CHECKS: Readonly<Record<string, Check>> = {
  "api keys": async (config) => {
    const keys = await apiKeysOf(config);
    const short = countShortKeys(keys);
    const file = config.files?.get("apiKeys");
    const source = config.apiKeys.length > 0
      ? `from ${file ?? "API_KEYS"}`
      : `generated, kept in ${config.home}`;
    return [
      {
        check: "api keys",
        verdict: "ok",
        detail: `${keys.length} ${source}`,
      },
      ...shortKeyFindings(short),
      ...await keptKeyFindings(config),
    ];
  },
  proxy: () => Promise.resolve(proxyFindings()),
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
    }, ...spaceFindings(await store.disk?.())];
  },
  "root data": async (_config, { store }) => {
    const db = await store.db(); // Outside of the report, which hides why.
    const health = await readRootDataHealth(() => Promise.resolve(db));
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
  fleet: checkFleet,
  memory: checkMemory,
  server: checkServer,
  runner: checkRunner,
};

function spaceFindings(space: DiskSpace | undefined): Finding[] {
  return space?.complaint === undefined ? [] : [{
    check: "disk",
    verdict: space.state === "full" ? "wrong" : "warning",
    detail: space.complaint,
  }];
}

function shortKeyFindings(short: number): Finding[] {
  return short === 0 ? [] : [{
    check: "api keys",
    verdict: "warning",
    detail:
      `${short} with fewer than ${MIN_KEY_CHARACTERS} characters, which can be guessed: make longer ones`,
  }];
}

/** What goes where is worth a line only where it is not the usual way. */
function proxyFindings(): Finding[] {
  const names = proxyNames();
  return names.length === 0 ? [] : [{
    check: "proxy",
    verdict: "ok",
    detail: `${
      names.join(", ")
    }: for everything but this machine and what NO_PROXY names`,
  }];
}

/** A kept key that others on this machine can read is theirs, too. */
async function keptKeyFindings({ apiKeys, home }: Config): Promise<Finding[]> {
  if (apiKeys.length > 0 || Deno.build.os === "windows") return [];
  const path = apiKeyPath(home);
  const { mode } = await Deno.stat(path);
  const open = (mode ?? 0) & 0o077;
  return open === 0 ? [] : [{
    check: "api keys",
    verdict: "warning",
    detail:
      `${path} is open to other users of this machine: chmod 600 it, and delete it for a new key if they had time to read it`,
  }];
}
