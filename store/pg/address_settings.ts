/**
 * The names behind the question mark of a database's address: libpq's, and
 * those that other programs leave there.
 *
 * @module
 */
import type { AddressSettings, Tls } from "./address.ts";

/** The settings, or what is wrong with them, a text each. */
export type SettingsReading =
  | { readonly ok: true; readonly value: AddressSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Names with the values that change nothing here; null: any value. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly string[] | null>> = {
  // libpq's.
  channel_binding: ["disable", "prefer", "require"],
  client_encoding: ["utf8", "utf-8", "unicode", "auto"],
  gssencmode: ["disable", "prefer"],
  keepalives_count: null,
  keepalives_interval: null,
  load_balance_hosts: ["disable", "random"],
  sslcompression: ["0", "1"],
  sslsni: ["1"],
  tcp_user_timeout: null,
  // Of pools of other programs: this one has DATABASE_POOL, and finds out by
  // itself whether a pooler answers.
  connection_limit: null,
  pgbouncer: ["true", "false"],
  pool_timeout: null,
  schema: ["public"],
  statement_cache_size: null,
  supa: null,
};

/** Names with the values that they may have here. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  keepalives: ["0", "1"],
  ssl: ["true"],
  sslmode: [
    "disable",
    "allow",
    "prefer",
    "require",
    "verify-ca",
    "verify-full",
    "no-verify",
  ],
  sslnegotiation: ["postgres"],
  target_session_attrs: ["any", "read-write", "primary"],
};

/** Names whose value is a whole number. */
const NUMBERS: ReadonlySet<string> = new Set([
  "connect_timeout",
  "keepalives_idle",
]);

/** Names that take any text. */
const TEXTS: ReadonlySet<string> = new Set([
  "application_name",
  "fallback_application_name",
  "options",
  "search_path",
  "sslcert",
  "sslkey",
  "sslrootcert",
]);

/** Reads them. `isNear`: no network lies between here and the server. */
export function settingsOf(
  given: ReadonlyMap<string, string>,
  isNear: boolean,
): SettingsReading {
  const problems = [...given].flatMap(([name, value]) =>
    problemOf(name, value) ?? []
  );
  const hasHalfAKey = given.has("sslcert") !== given.has("sslkey");
  if (hasHalfAKey) {
    problems.push("names one of sslcert and sslkey: both belong together");
  }
  const tls = tlsOf(given, isNear);
  if (tls.mode === "off" && given.get("channel_binding") === "require") {
    problems.push("asks for channel_binding=require, and for no TLS");
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { tls, ...restOf(given) } };
}

function problemOf(name: string, value: string): string | undefined {
  if (TEXTS.has(name)) return undefined;
  if (NUMBERS.has(name)) {
    return /^-?[0-9]{1,9}$/.test(value)
      ? undefined
      : `must give ${name} a whole number`;
  }
  const choices = Object.hasOwn(CHOICES, name)
    ? CHOICES[name]
    : Object.hasOwn(WITHOUT_EFFECT, name)
    ? WITHOUT_EFFECT[name]
    : undefined;
  if (choices === null || choices?.includes(value.toLowerCase())) {
    return undefined;
  }
  if (choices !== undefined) {
    return `must give ${name} one of these: ${choices.join(", ")}`;
  }
  const shown = /^[A-Za-z_][\w.]{0,39}$/.test(name) ? ` ${name}` : "";
  return `holds a name that is not understood here:${
    shown === "" ? " one that is no word" : shown
  }. A setting of the server goes into options=-c%20name%3Dvalue`;
}

function tlsOf(given: ReadonlyMap<string, string>, isNear: boolean): Tls {
  const root = given.get("sslrootcert");
  const certFile = given.get("sslcert");
  const keyFile = given.get("sslkey");
  const mode = given.get("sslmode")?.toLowerCase() ??
    (given.has("ssl")
      ? "require"
      : root === "system"
      ? "verify-full"
      : undefined);
  return {
    mode: modeOf(mode, {
      isNear,
      hasRoot: root !== undefined,
      // The driver cannot bind to the channel. What that guards against, a
      // server in between, is kept out by the certificate as well.
      isBound: given.get("channel_binding") === "require",
    }),
    rootFile: root === "system" ? undefined : root,
    own: certFile === undefined || keyFile === undefined
      ? undefined
      : { certFile, keyFile },
  };
}

function modeOf(
  name: string | undefined,
  { isNear, hasRoot, isBound }: {
    readonly isNear: boolean;
    readonly hasRoot: boolean;
    readonly isBound: boolean;
  },
): Tls["mode"] {
  if (name === "disable") return "off";
  if (name === "verify-full" || isBound) return "full";
  if (name === "verify-ca") return "chain";
  // With an authority at hand it is asked, as libpq does.
  if (name === "require") return hasRoot ? "chain" : "unverified";
  if (name === "no-verify") return "unverified";
  return name === undefined && isNear ? "off" : "prefer";
}

function restOf(
  given: ReadonlyMap<string, string>,
): Omit<AddressSettings, "tls"> {
  const connectTimeoutS = Number(given.get("connect_timeout") ?? 0);
  const attributes = given.get("target_session_attrs");
  return {
    connectTimeoutS: connectTimeoutS > 0 ? connectTimeoutS : undefined,
    applicationName: given.get("application_name") ??
      given.get("fallback_application_name"),
    keepAliveS: given.get("keepalives") === "0"
      ? 0
      : Number(given.get("keepalives_idle") ?? 0) || undefined,
    startup: Object.fromEntries(
      ["options", "search_path"].flatMap((name) => {
        const value = given.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    needsWrites: attributes === "read-write" || attributes === "primary",
  };
}
