/**
 * The embedded PostgreSQL: a native cluster in the home, started for whoever
 * comes first. What runs it is loaded when it is asked for.
 *
 * @module
 */
export type { Cluster, ClusterEvent, ClusterOptions } from "./cluster.ts";
export type { ClusterStatus, StopReport } from "./status.ts";
export { clusterStatus, openCluster, stopCluster } from "./lazy.ts";
export { defaultHome } from "./default_home.ts";
export type { ClusterErrorCode } from "./errors.ts";
export { ClusterError } from "./errors.ts";
