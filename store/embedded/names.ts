/**
 * The fixed names in a cluster's folders that this program itself opens, makes,
 * replaces or removes.
 *
 * All of them are here, so that a test can plant a link under each: whoever
 * owns the folders may do so.
 *
 * @module
 */

/** Names below the folder of a cluster. */
export const NAMES = {
  /** Binaries, one folder for each version. */
  pg: "pg",
  /** The cluster itself. */
  data: "data",
  /** Socket and locks. */
  run: "run",
  /** The server's log. */
  log: "log",
  /** Held while something is installed or started. */
  startLock: "run/start.lock",
  /** Shared by all who use the cluster. */
  clientsLock: "run/clients.lock",
  /** The random part of the folder that leads to a socket with a long path. */
  linkToken: "run/link-token",
  /** Where the server listens; the port only names it. */
  socket: "run/.s.PGSQL.5432",
  /** Whose the socket is. */
  socketLock: "run/.s.PGSQL.5432.lock",
  /** Port and password (Windows). */
  endpoint: "run/endpoint.json",
  /** What PostgreSQL says about its version. */
  version: "data/PG_VERSION",
  /** What a running server says about itself. */
  pidFile: "data/postmaster.pid",
  /** Its successor while it is written. */
  newPidFile: "data/postmaster.pid.new",
  /** What the server logs. */
  logFile: "log/postgresql.log",
  /** The log before it. */
  oldLogFile: "log/postgresql.log.1",
} as const;

/** How the folder begins in which initdb works. */
export const NEW_DATA_PREFIX = "data.new-";
