/**
 * What sessions can be given: what the catalog has, as far as the runners that
 * were seen lately can use it.
 *
 * @module
 */
import {
  type AgentRoot,
  type Artifact,
  type CatalogSnapshot,
  CatalogUnavailableError,
  type RootDefaults,
} from "../../catalog/mod.ts";
import { listRunners, type Runner } from "../../store/turns/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { isInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { orderOf } from "../turns/given.ts";
import type { HelloRequest } from "../turns/protocol.ts";

/** An MCP server that no session can use now, and why. */
export interface UnavailableServer {
  /** Its name. */
  readonly name: string;
  /** Why, for people. */
  readonly reason: string;
}

/** A root, and what its sessions are given. */
export interface ConfigRoot {
  /** The root. */
  readonly root: AgentRoot;
  /** What its sessions are given by default. */
  readonly defaults: RootDefaults;
}

/** A runtime that a runner offers. */
export interface ConfigRuntime {
  /** Name of its profile. */
  readonly name: string;
  /** Versions that runners have of it. */
  readonly versions: readonly string[];
  /** Models that it is known to take; none where that is not known. */
  readonly models: readonly string[];
  /** Runners that offer it. */
  readonly runners: number;
  /** Whether each of them lacks its login. */
  readonly isLoginMissing: boolean;
}

/** What sessions can be given. */
export interface Configs {
  /**
   * `fresh`; `stale`: as it was at `readAt`; `unreadable`: nothing is known of
   * it, so that the lists are empty for that reason and no other.
   */
  readonly catalog:
    | { readonly state: "fresh" | "stale"; readonly readAt: Date }
    | { readonly state: "unreadable" };
  /** Kinds of which entries may be missing: an index file could not be read. */
  readonly incomplete: readonly string[];
  /** MCP servers that can be used. */
  readonly servers: readonly Artifact[];
  /** Those that cannot. */
  readonly unavailable: readonly UnavailableServer[];
  /** Roots that the caller may use. */
  readonly roots: readonly ConfigRoot[];
  /** Whether there are others. */
  readonly isFenced: boolean;
  /** Goals. */
  readonly goals: readonly Artifact[];
  /** What the runners offer. */
  readonly runtimes: readonly ConfigRuntime[];
  /** Runners that were seen lately. */
  readonly runners: number;
}

/** A runner that was not heard of for so many seconds is away. */
const AWAY_SECONDS = 120;
const VARIABLE_REGEXP = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const KINDS = ["mcp", "goals"] as const;

/** Reads it. */
export async function readConfigs(
  { catalog, store }: Pick<Fleet, "catalog" | "store">,
  { fence }: Pick<FleetCaller, "fence">,
): Promise<Configs> {
  const runners = (await listRunners(await store.db())).filter((one) =>
    one.revokedAt === null && one.seenSecondsAgo !== null &&
    one.seenSecondsAgo < AWAY_SECONDS
  );
  const common = {
    isFenced: fence !== null,
    runtimes: runtimesOf(runners),
    runners: runners.length,
  };
  const snapshot = await readable(catalog.current());
  if (snapshot === undefined) {
    return {
      ...common,
      catalog: { state: "unreadable" },
      incomplete: [],
      servers: [],
      unavailable: [],
      roots: [],
      goals: [],
    };
  }
  const all = [...snapshot.artifacts("mcp").entries.values()];
  const judged = all.map((server) => ({
    server,
    reason: reasonAgainst(server, runners),
  }));
  return {
    ...common,
    catalog: {
      state: snapshot.stale ? "stale" : "fresh",
      readAt: snapshot.readAt,
    },
    incomplete: KINDS.filter((kind) =>
      snapshot.artifacts(kind).incompleteReason !== undefined
    ),
    servers: judged.flatMap(({ server, reason }) =>
      reason === undefined ? [server] : []
    ),
    unavailable: judged.flatMap(({ server, reason }) =>
      reason === undefined ? [] : [{ name: server.name, reason }]
    ),
    roots: [...snapshot.roots.values()]
      .filter(({ name }) => isInside(fence, snapshot, name))
      .map((root) => ({ root, defaults: snapshot.effectiveDefaults(root) })),
    goals: [...snapshot.artifacts("goals").entries.values()],
  };
}

async function readable(
  reading: Promise<CatalogSnapshot>,
): Promise<CatalogSnapshot | undefined> {
  try {
    return await reading;
  } catch (error) {
    // Its words are for the operator, and stand in health.
    if (error instanceof CatalogUnavailableError) return undefined;
    throw error;
  }
}

/** Why no session can use a server now; undefined where one can. */
function reasonAgainst(
  server: Artifact,
  runners: readonly Runner[],
): string | undefined {
  const order = orderOf(server.name, server);
  if (typeof order === "string") return order;
  const { url, headers, command, env } = order;
  const names = [...variablesOf({ url, headers, command, env })];
  const needsTrust = order.type === "stdio" && !order.is_trusted;
  if (names.length === 0 && !needsTrust) return undefined;
  if (runners.length === 0) {
    return names.length === 0
      ? `no runner was seen lately, so nobody is known to start programs that a catalog of an address names`
      : `no runner was seen lately, so nobody has ${names.join(", ")}`;
  }
  const hellos = runners.map(helloOf);
  const able = needsTrust
    ? hellos.filter(({ trusts_catalogs }) => trusts_catalogs === true)
    : hellos;
  if (able.length === 0) {
    return "the catalog comes from an address, and no runner starts programs that it names: that takes RUNNER_TRUST_CATALOG=on";
  }
  const known = able.map(({ variables }) => new Set(variables ?? []));
  if (known.some((has) => names.every((name) => has.has(name)))) {
    return undefined;
  }
  const who = needsTrust ? "no runner that trusts the catalog" : "no runner";
  const nowhere = names.filter((name) => !known.some((has) => has.has(name)));
  return nowhere.length > 0
    ? `${who} has ${nowhere.join(", ")}`
    : `${who} has all of ${names.join(", ")}`;
}

/** Names of `${VARIABLES}` anywhere in a part of an entry. */
function variablesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") {
    for (const [, name] of value.matchAll(VARIABLE_REGEXP)) {
      found.add(String(name));
    }
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) variablesOf(part, found);
  }
  return found;
}

/** What a runner said when it came up: of any version, so nothing is sure. */
function helloOf({ hello }: Runner): Partial<HelloRequest> {
  return hello as Partial<HelloRequest>;
}

function runtimesOf(runners: readonly Runner[]): readonly ConfigRuntime[] {
  const reports = runners.flatMap((runner) => helloOf(runner).runtimes ?? []);
  const byName = Map.groupBy(reports, ({ name }) => name);
  return [...byName].sort(([a], [b]) => a < b ? -1 : 1).map((
    [name, offered],
  ) => ({
    name,
    versions: unique(offered.flatMap(({ version }) => version ?? [])),
    models: unique(offered.flatMap(({ models }) => models)),
    runners: offered.length,
    isLoginMissing: offered.every(({ login }) => login?.state === "missing"),
  }));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
