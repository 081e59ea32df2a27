/**
 * The embedded PostgreSQL, loaded when it is first asked for: a stdio process
 * answers its client before it needs a database, and the driver takes a tenth
 * of its start to load.
 *
 * @module
 */
import type { Cluster, ClusterOptions } from "./cluster.ts";
import type { ClusterStatus, StopReport } from "./status.ts";

/**
 * Opens the cluster of a home: unpacks, initializes and starts what is missing.
 *
 * @throws {ClusterError} With a line for the operator.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { openCluster } = await import("./cluster.ts");
  return await openCluster(options);
}

/** Looks at the cluster of a home; starts and makes nothing. */
export async function clusterStatus(home: string): Promise<ClusterStatus> {
  const { clusterStatus } = await import("./status.ts");
  return await clusterStatus(home);
}

/**
 * Stops the server of a home, whatever is connected.
 *
 * @throws {ClusterError} Code `stop_failed`.
 */
export async function stopCluster(home: string): Promise<StopReport> {
  const { stopCluster } = await import("./status.ts");
  return await stopCluster(home);
}
