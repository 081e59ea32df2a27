/**
 * Opens the driver for one host, with everything said that it would otherwise
 * read from `PG…` variables of the environment.
 *
 * @module
 */
import postgres from "postgres";
import { type Address, type Host, parseAddress, type Tls } from "./address.ts";
import { ARRAY_TYPES } from "./arrays.ts";
import type { DatabaseTarget } from "./db.ts";
import { StoreUnavailableError } from "../errors.ts";

/** What a pool says of its connections. */
export interface DriverOptions {
  /** Connections at most. */
  readonly max: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

/** A target, ready to be connected to. */
export interface Route {
  /** How many servers there are to choose from. */
  readonly hosts: number;
  /** Whether a server that takes no writes will not do. */
  readonly needsWrites: boolean;
  /** Whether a pooler may stand in between. */
  readonly mayBePooled: boolean;
  /** Opens the driver for one of the hosts. Connects nothing yet. */
  open(host: number, options: DriverOptions): postgres.Sql;
}

type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** What differs from target to target. */
interface OwnOptions {
  /** In a list, so that the driver does not look for a port in it. */
  readonly host: string | readonly string[];
  readonly port: number | readonly number[];
  readonly path?: string;
  readonly max: number;
  readonly ssl: "prefer" | false | object;
  readonly connect_timeout?: number;
  readonly keep_alive?: number;
  readonly connection: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

const CONNECT_TIMEOUT_S = 10;
const KEEP_ALIVE_S = 60;
const LONGEST_LIFE_S = 60 * 60;

/**
 * What sessions must have whatever database or role are set to, and every
 * pooler keeps: times are read as the driver reads them.
 */
const SESSION_SETTINGS = {
  DateStyle: "ISO, MDY",
  TimeZone: "UTC",
  standard_conforming_strings: "on",
  client_encoding: "UTF8",
};

/**
 * Reads a target.
 *
 * @throws {StoreUnavailableError} Code `rejected`: its address cannot be used.
 */
export function openRoute(target: DatabaseTarget): Route {
  if (target.kind === "url") return routeOf(addressIn(target.url));
  const { user, database, port } = target;
  const place = target.kind === "socket"
    ? placeOf({ kind: "socket", directory: target.directory, port })
    : placeOf({ kind: "tcp", name: "127.0.0.1", port });
  const password = target.kind === "socket" ? "" : target.password;
  return {
    hosts: 1,
    needsWrites: false,
    mayBePooled: false,
    open: (_, { max, applicationName }) =>
      openDriver(
        { ...place, max, ssl: false, connection: session(applicationName) },
        { user, database, pass: password },
      ),
  };
}

function addressIn(url: string): Address {
  const reading = parseAddress(url);
  if (reading.ok) return reading.address;
  throw new StoreUnavailableError(
    "rejected",
    `Cannot use the database address: it ${reading.problems.join("; it ")}`,
  );
}

function routeOf(address: Address): Route {
  const { hosts, user, password, database, startup } = address;
  const sslTo = sslOf(address.tls);
  return {
    hosts: hosts.length,
    needsWrites: address.needsWrites || hosts.length > 1,
    mayBePooled: true,
    open(at, { max, applicationName }) {
      const host = hosts[at % hosts.length];
      if (host === undefined) throw new RangeError("An address has a host");
      return openDriver({
        ...placeOf(host),
        max,
        ssl: sslTo(host),
        connect_timeout: address.connectTimeoutS ?? CONNECT_TIMEOUT_S,
        keep_alive: address.keepAliveS ?? KEEP_ALIVE_S,
        connection: {
          ...session(address.applicationName ?? applicationName),
          ...startup,
        },
        // What an address leaves out may come from PGUSER and its like.
        ...(user === undefined ? {} : { user }),
        ...(password === undefined ? {} : { password }),
        ...(database === undefined ? {} : { database }),
      }, {});
    },
  };
}

function session(applicationName: string): Record<string, string> {
  return { application_name: applicationName, ...SESSION_SETTINGS };
}

function placeOf(host: Host): Pick<OwnOptions, "host" | "port" | "path"> {
  return host.kind === "tcp" ? { host: [host.name], port: [host.port] } : {
    host: host.directory,
    port: host.port,
    path: `${host.directory}/.s.PGSQL.${host.port}`,
  };
}

/**
 * The driver takes options that it has read before as they are. That is the
 * only way past its last two variables: an empty password lets PGPASSWORD
 * through, and no word for `target_session_attrs` means "any".
 */
function openDriver(
  options: OwnOptions,
  fixed: {
    readonly user?: string;
    readonly database?: string;
    readonly pass?: string;
  },
): postgres.Sql {
  const { options: read } = postgres({
    sslnegotiation: null,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_S,
    keep_alive: KEEP_ALIVE_S,
    // Spread, so that they are not all renewed at once.
    max_lifetime: LONGEST_LIFE_S * (0.5 + Math.random() / 2),
    max_pipeline: 100,
    // The pool tries again at once: waiting is done there, where a recovery
    // may make the next attempt succeed.
    backoff: () => 0,
    prepare: true,
    debug: false,
    fetch_types: false,
    publications: "alltables",
    target_session_attrs: "read-write",
    onnotice: () => {},
    types: ARRAY_TYPES,
    ...options,
  } as unknown as Options);
  return postgres(
    { ...read, ...fixed, target_session_attrs: null } as unknown as Options,
  );
}

/** Reads the files of TLS; what the driver is told depends on the host. */
function sslOf(
  { mode, rootFile, own }: Tls,
): (host: Host) => OwnOptions["ssl"] {
  if (mode === "off") return () => false;
  if (mode === "prefer" && own === undefined) return () => "prefer";
  const shared = {
    rejectUnauthorized: mode === "chain" || mode === "full",
    ...(mode === "chain" ? { checkServerIdentity: () => undefined } : {}),
    ...(rootFile === undefined ? {} : { ca: fileOf(rootFile, "sslrootcert") }),
    ...(own === undefined ? {} : {
      cert: fileOf(own.certFile, "sslcert"),
      key: fileOf(own.keyFile, "sslkey"),
    }),
  };
  // The driver names no host that is a number, and `localhost` would be
  // looked for in the certificate.
  return (host) => host.kind === "tcp" ? { ...shared, host: host.name } : false;
}

function fileOf(path: string, name: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (cause) {
    throw new StoreUnavailableError(
      "rejected",
      `Cannot use the database address: the file that ${name} names cannot be read`,
      { cause },
    );
  }
}
