/**
 * The metrics in Prometheus' terms.
 *
 * Events add to counters; states (catalog, pool, memory) are looked at when
 * somebody reads. Reading opens nothing: no database, no catalog; the fleet's
 * figures are there once the database is in use.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { SweepReport } from "../../store/root_data/mod.ts";
import { addFleetStates } from "./fleet_metrics.ts";
import type { AnsweredRequest, ReadableMetrics } from "./metrics.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";

/** Bounds in seconds: from a refusal in memory to the statement limit. */
const LATENCY_BUCKETS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);
const CATALOG_STATES = ["fresh", "stale", "empty"];

/** Makes the metrics of one server. */
export function createMetrics(
  services: Pick<Services, "catalog" | "store">,
): ReadableMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[] = [],
  ) =>
    new Counter({
      name: `rootcellar_${name}`,
      help,
      labelNames: [...labelNames],
      registers,
    });
  const histogram = <T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
  ) =>
    new Histogram({
      name: `rootcellar_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: LATENCY_BUCKETS,
      registers,
    });

  const calls = counter("tool_calls_total", "Tool calls by outcome", [
    "tool",
    "outcome",
  ]);
  const callSeconds = histogram(
    "tool_call_duration_seconds",
    "How long tool calls took",
    ["tool"],
  );
  const requests = counter("http_requests_total", "HTTP requests answered", [
    "route",
    "method",
    "status",
  ]);
  const requestSeconds = histogram(
    "http_request_duration_seconds",
    "How long HTTP requests took",
    ["route"],
  );
  const refusals = counter(
    "refusals_total",
    "Tool calls and requests that were refused or failed, by reason",
    ["reason"],
  );
  const uncaught = counter(
    "uncaught_errors_total",
    "Errors that nothing caught; the log has each of them",
    ["kind"],
  );
  const sweeps = sweepMetrics(counter, registers);
  addStates(registers, services);
  addFleetStates(registers, services);

  return {
    toolCalled(tool, kind, seconds) {
      calls.inc({ tool, outcome: kind?.outcome ?? "ok" });
      callSeconds.observe({ tool }, seconds);
      if (kind !== undefined) refusals.inc({ reason: kind.reason });
    },
    requestAnswered(answer: AnsweredRequest) {
      const route = answer.route ?? "none";
      const method = METHODS.has(answer.method) ? answer.method : "other";
      requests.inc({ route, method, status: answer.status });
      requestSeconds.observe({ route }, answer.seconds);
      const reason = answer.refusal;
      if (reason !== undefined) refusals.inc({ reason });
    },
    swept: sweeps,
    wentUncaught: (kind) => uncaught.inc({ kind }),
    read: async () => ({
      text: await registry.metrics(),
      contentType: registry.contentType,
    }),
  };
}

function sweepMetrics(
  counter: <T extends string>(
    name: string,
    help: string,
    labelNames?: readonly T[],
  ) => Counter<T>,
  registers: Registry[],
): (report: SweepReport | undefined) => void {
  const runs = counter("sweeps_total", "Retention sweeps by outcome", [
    "outcome",
  ]);
  const deleted = counter(
    "sweep_deleted_records_total",
    "Expired records that sweeps of this process deleted",
  );
  const drifted = counter(
    "sweep_corrected_counters_total",
    "Counters that were wrong when a sweep of this process recounted them",
  );
  const last = new Gauge({
    name: "rootcellar_sweep_last_run_timestamp_seconds",
    help: "When a sweep of this process last ended with its work done",
    registers,
  });
  last.remove(); // Absent until there was one; 0 would read as 1970.
  return (report) => {
    const outcome = report === undefined
      ? "failed"
      : report.isSkipped
      ? "skipped"
      : report.isTimedOut
      ? "timed_out"
      : "done";
    runs.inc({ outcome });
    if (report === undefined || report.isSkipped) return;
    deleted.inc(report.deleted);
    drifted.inc(report.drift.length);
    last.setToCurrentTime();
  };
}

function addStates(
  registers: Registry[],
  { catalog, store }: Pick<Services, "catalog" | "store">,
): void {
  const began = Date.now() / 1_000;
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = value();
        if (now === undefined) this.remove();
        else this.set(now);
      },
    });
  new Gauge({
    name: "rootcellar_info",
    help: "The running version",
    labelNames: ["version"],
    registers,
  }).set({ version: VERSION }, 1);
  new Gauge({
    name: "rootcellar_catalog_state",
    help: "1 for the state that the catalog is in",
    labelNames: ["state"],
    registers,
    async collect() {
      // A server that nobody calls reads its catalog when it is looked at.
      await catalog.latest().catch(() => {});
      const { state } = catalog.status();
      for (const one of CATALOG_STATES) {
        this.set({ state: one }, one === state ? 1 : 0);
      }
    },
  });
  gauge(
    "rootcellar_catalog_age_seconds",
    "Time since the catalog in use was read",
    () => catalog.status().ageSeconds,
  );
  gauge(
    "rootcellar_catalog_ignored_entries",
    "What was left out of the catalog",
    () => catalog.status().ignored,
  );
  gauge(
    "rootcellar_database_connections_limit",
    "Connections to the database at most; absent until it is first used",
    () => store.pool?.()?.connections,
  );
  gauge(
    "rootcellar_database_statements_under_way",
    "Statements and transactions that run or wait for a connection",
    () => store.pool?.()?.underWay,
  );
  gauge(
    "process_resident_memory_bytes",
    "Resident memory of this process",
    () => Deno.memoryUsage().rss,
  );
  gauge(
    "process_heap_bytes",
    "JavaScript heap in use",
    () => Deno.memoryUsage().heapUsed,
  );
  gauge(
    "process_start_time_seconds",
    "When this process began to serve",
    () => began,
  );
}
