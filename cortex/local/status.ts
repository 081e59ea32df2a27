/**
 * Health, readiness, version, and who the caller is.
 *
 * @module
 */
import type { WireCall } from "./call.ts";
import type { QueryVectors } from "./embeddings/query_vectors.ts";
import type { EventLog } from "./port.ts";
import { countUnindexed } from "./search/indexer.ts";

/** Most events that are said to wait for vectors. */
const MAX_COUNTED = 100_000;

/** Capabilities of every caller: the whole service, without a model. */
const CAPABILITIES = [
  "scope.read.local",
  "scope.read.holistic",
  "scope.read.descend",
  "scope.write",
  "scope.create.*",
  "forget.cascade.derived_only",
  "forget.cascade.redact_events",
  "forget.gdpr",
  "diagnostics.read",
];

/** Who calls. */
export function getWhoami({ actor }: WireCall): Promise<Response> {
  return Promise.resolve(Response.json({
    caller: actor,
    tenant_id: "local",
    deployment_preset: "dev_local",
    token: null,
    effective_capabilities: CAPABILITIES,
  }));
}

/** What the open routes are built from. */
export interface StatusOptions {
  /** The storage. */
  readonly log: EventLog;
  /** Version that is shown. */
  readonly version: string;
  /** Clock, in milliseconds. */
  readonly now: () => number;
  /** Vectors of queries; undefined: there is no embedding service. */
  readonly vectors: QueryVectors | undefined;
}

/** The answer to an open route; undefined when the path is none. */
export function createStatus(
  { log, version, now, vectors }: StatusOptions,
): (path: string) => Promise<Response> | undefined {
  const began = now();
  const isUp = () => log.ping().then(() => true, () => false);
  const health = async (names: readonly [good: string, bad: string]) => {
    const isHealthy = await isUp();
    const pending = isHealthy ? await countUnindexed(log) : undefined;
    return Response.json({
      status: names[isHealthy ? 0 : 1],
      storage: isHealthy ? "ok" : "unreachable",
      uptime_secs: Math.floor((now() - began) / 1_000),
      ...(pending === undefined ? {} : { index: { pending } }),
      ...(isHealthy && vectors !== undefined
        ? {
          embeddings: {
            pending: await log.countUnembedded(MAX_COUNTED),
            fault: vectors.fault ?? null,
          },
        }
        : {}),
      enrichment: { enabled: false, mode: "none" },
      version,
    }, { status: isHealthy ? 200 : 503 });
  };
  return (path) => {
    switch (path) {
      case "/v1/health":
      case "/v1/admin/health":
        return health(["healthy", "unhealthy"]);
      case "/v1/ready":
      case "/v1/admin/ready":
        return health(["ready", "not_ready"]);
      case "/v1/admin/version":
        return Promise.resolve(Response.json({
          version,
          git_sha: null,
          built_at: null,
          stability_tiers: {},
          capabilities: [],
        }));
      default:
        return undefined;
    }
  };
}
