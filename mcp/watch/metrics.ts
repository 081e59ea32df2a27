/**
 * What is counted while the server works. No label ever holds what a caller
 * chose: tools, routes, methods and reasons are fixed sets.
 *
 * @module
 */
import type { SweepReport } from "../../store/root_data/mod.ts";
import type { ErrorKind } from "../errors.ts";

/** Takes note of what happened; each call only adds to numbers in memory. */
export interface Metrics {
  /** A tool of the registry was called; `kind` is undefined when it worked. */
  toolCalled(tool: string, kind: ErrorKind | undefined, seconds: number): void;
  /** A request was answered. */
  requestAnswered(answer: AnsweredRequest): void;
  /** A sweep has ended; undefined: it failed. */
  swept(report: SweepReport | undefined): void;
  /** Something failed and nothing caught it. */
  wentUncaught(kind: UncaughtKind): void;
}

/** How something that nothing caught came up. */
export type UncaughtKind = "error" | "rejection";

/** A request and its answer. */
export interface AnsweredRequest {
  /** The pattern of the route, never a path; undefined where none matched. */
  readonly route: string | undefined;
  /** As the client sent it. */
  readonly method: string;
  /** HTTP status. */
  readonly status: number;
  /** How long it took. */
  readonly seconds: number;
  /** Label of the error envelope, where it was refused. */
  readonly refusal: string | undefined;
}

/** Metrics that can be read. */
export interface ReadableMetrics extends Metrics {
  /** All of them in the Prometheus text format. */
  read(): Promise<MetricsText>;
}

/** Metrics as they are sent. */
export interface MetricsText {
  /** Prometheus text. */
  readonly text: string;
  /** Its media type. */
  readonly contentType: string;
}
