/**
 * The address of a PostgreSQL, as providers print it and libpq reads it:
 * `postgres://user:password@host:port,host:port/database?name=value`.
 *
 * Every name that libpq takes is understood as it means it, or refused by name
 * before anything connects. No value stands in a problem: any may be a secret.
 *
 * @module
 */
import { settingsOf } from "./address_settings.ts";

/** Where a server listens. */
export type Host =
  | { readonly kind: "tcp"; readonly name: string; readonly port: number }
  | {
    readonly kind: "socket";
    readonly directory: string;
    readonly port: number;
  };

/** How much of TLS there is: libpq's `sslmode`. */
export interface Tls {
  /**
   * `off`: none. `prefer`: where the server has it. `unverified`: whoever the
   * server is. `chain`: a certificate of the authority. `full`: and of its host.
   */
  readonly mode: "off" | "prefer" | "unverified" | "chain" | "full";
  /** File with the authority's certificates; undefined: those of the system. */
  readonly rootFile: string | undefined;
  /** Files with the certificate and the key that this side shows. */
  readonly own:
    | { readonly certFile: string; readonly keyFile: string }
    | undefined;
}

/** What the part behind the question mark says. */
export interface AddressSettings {
  /** How much of TLS there is. */
  readonly tls: Tls;
  /** Seconds that connecting may take. */
  readonly connectTimeoutS: number | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string | undefined;
  /** Seconds of silence before the connection is tried; 0: never. */
  readonly keepAliveS: number | undefined;
  /** Settings that the session begins with. */
  readonly startup: Readonly<Record<string, string>>;
  /** Whether a server that takes no writes will not do. */
  readonly needsWrites: boolean;
}

/** An address, read. */
export interface Address extends AddressSettings {
  /** Tried in this order; at least one. */
  readonly hosts: readonly Host[];
  /** Undefined: `PGUSER`, or whoever runs this. */
  readonly user: string | undefined;
  /** Undefined: `PGPASSWORD`, or none. */
  readonly password: string | undefined;
  /** Undefined: `PGDATABASE`, or the user's name. */
  readonly database: string | undefined;
}

/** An address, or what is wrong with it, a text each. */
export type AddressReading =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly problems: readonly string[] };

const DEFAULT_PORT = "5432";
const FORM = "must read postgres://user:password@host:port/database";
const URL_REGEXP =
  /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const HOST_REGEXP = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]]*))(?::([0-9]*))?$/;
const LOOPBACK_REGEXP = /^(?:localhost|127\.[0-9.]+|::1)$/;

/** Parts that may also stand behind the question mark, where they win. */
const PART_NAMES = ["host", "port", "user", "password", "dbname"] as const;

/** Reads an address. Never throws. */
export function parseAddress(text: string): AddressReading {
  try {
    return read(text.trim());
  } catch (error) {
    // What is not percent-encoded as it should be.
    if (error instanceof URIError) return refused([FORM]);
    throw error;
  }
}

function read(text: string): AddressReading {
  const [, login = "", authority = "", path = "", query = ""] =
    URL_REGEXP.exec(text) ?? [];
  if (!URL_REGEXP.test(text)) return refused([FORM]);
  const given = parametersOf(query);
  const parts = new Map<string, string>();
  for (const name of PART_NAMES) {
    const value = given.get(name);
    if (value !== undefined) parts.set(name, value);
    given.delete(name);
  }
  const hosts = hostsOf(authority, parts);
  if (hosts === undefined) return refused([FORM]);
  const isNear = hosts.every((host) =>
    host.kind === "socket" || LOOPBACK_REGEXP.test(host.name)
  );
  const settings = settingsOf(given, isNear);
  if (!settings.ok) return settings;
  const colon = login.indexOf(":");
  const user = colon < 0 ? login : login.slice(0, colon);
  const password = colon < 0 ? "" : login.slice(colon + 1);
  return {
    ok: true,
    address: {
      ...settings.value,
      // Nobody listens in on a socket, and a server speaks no TLS there.
      ...(hosts.every(({ kind }) => kind === "socket")
        ? { tls: { mode: "off", rootFile: undefined, own: undefined } as const }
        : {}),
      hosts,
      user: parts.get("user") ?? filled(user),
      password: parts.get("password") ?? filled(password),
      database: parts.get("dbname") ?? filled(path),
    },
  };
}

function parametersOf(query: string): Map<string, string> {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return new Map(pairs.map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [decodeURIComponent(name), decodeURIComponent(value.join("="))];
  }));
}

/** The hosts; undefined where they cannot be read. */
function hostsOf(
  authority: string,
  parts: ReadonlyMap<string, string>,
): readonly Host[] | undefined {
  const own = authority.split(",").map((one) => HOST_REGEXP.exec(one));
  if (own.some((match) => match === null)) return undefined;
  const names = parts.get("host")?.split(",") ??
    own.map((match) => decodeURIComponent(match?.[1] ?? match?.[2] ?? ""));
  const ports = parts.get("port")?.split(",") ??
    own.map((match) => match?.[3] ?? "");
  // One port serves for all hosts, as it does for libpq.
  if (ports.length > 1 && ports.length !== names.length) return undefined;
  const hosts = names.map((name, at) =>
    hostOf(name, (ports.length === 1 ? ports[0] : ports[at]) || DEFAULT_PORT)
  );
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

function hostOf(name: string, portText: string): Host | undefined {
  const port = /^[0-9]{1,5}$/.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65_535) return undefined;
  if (name.startsWith("/")) return { kind: "socket", directory: name, port };
  return { kind: "tcp", name: name === "" ? "localhost" : name, port };
}

function filled(encoded: string): string | undefined {
  return encoded === "" ? undefined : decodeURIComponent(encoded);
}

function refused(problems: readonly string[]): AddressReading {
  return { ok: false, problems };
}
