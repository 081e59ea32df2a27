/**
 * The gate in front of every route: which hosts and pages may call, who a
 * request comes from, and the brake on guesses.
 *
 * Nothing of a request is read before its credential is known to be good.
 *
 * @module
 */
import {
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { Context, Hono } from "hono";
import type { TurnDurations } from "../../fleet/mod.ts";
import { type Authenticate, createAuthenticate, credentialOf } from "./auth.ts";
import type { Caller, Connection } from "../caller/connection.ts";
import { MAX_BODY_MS } from "./body.ts";
import { type Brake, createBrake } from "./brake.ts";
import { connectionOf } from "../caller/caller_connection.ts";
import { type REFUSAL, refuse } from "./envelope.ts";
import type { Services } from "../services.ts";

/** Settings of the HTTP surface. */
export interface HttpOptions {
  /** Keys that open it. Empty: only session tokens get in. */
  readonly apiKeys: readonly string[];
  /** Host names it answers to, without port; `*` answers to all. */
  readonly allowedHosts: readonly string[];
  /** Host names of web pages that may call it; `*` admits all. */
  readonly allowedOrigins: readonly string[];
  /** How long a body may take to arrive. @default {MAX_BODY_MS} */
  readonly bodyLimitMs?: number;
  /** How long things take around turns, where it differs. */
  readonly turnDurations?: Partial<TurnDurations>;
}

/** What is known of a request beside its text. */
export interface RequestFacts {
  readonly Bindings: {
    /** The client's, without port. */
    readonly address: string | undefined;
  };
  readonly Variables: {
    /** Label of the error envelope, once it was refused. */
    readonly [REFUSAL]?: string;
  };
}

/** The application that routes are mounted on. */
export type App = Hono<RequestFacts>;

/** What decides who gets in; one for all routes. */
export interface Gate {
  readonly authenticate: Authenticate;
  readonly brake: Brake;
  readonly services: Services;
  /** How long the body of a request may take to arrive, in milliseconds. */
  readonly bodyLimitMs: number;
}

const LOOPBACK_REGEXP = /^(::ffff:)?127(\.[0-9]{1,3}){3}$|^::1$/;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
/** What proxies add. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];
const HOST_REGEXP = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?$/i;

/** Builds the gate. */
export function createGate(services: Services, options: HttpOptions): Gate {
  return {
    authenticate: createAuthenticate(options.apiKeys, services.store),
    brake: createBrake(),
    services,
    bodyLimitMs: options.bodyLimitMs ?? MAX_BODY_MS,
  };
}

/** What a credential is worth. */
export type Verdict =
  | { readonly kind: "known"; readonly caller: Caller }
  | { readonly kind: "unknown" }
  /** Too many failures came from the address: wait so many seconds. */
  | { readonly kind: "braked"; readonly seconds: number };

/** Judges a credential from an address, and takes note of a wrong one. */
export async function judge(
  credential: string | undefined,
  address: string | undefined,
  { authenticate, brake, services }: Gate,
): Promise<Verdict> {
  const caller = credential === undefined
    ? undefined
    : await authenticate(credential);
  if (caller !== undefined) return { kind: "known", caller };
  if (credential === undefined || address === undefined) {
    return { kind: "unknown" };
  }
  const seconds = brake.waitOf(address);
  if (seconds !== undefined) return { kind: "braked", seconds };
  if (brake.fail(address)) {
    services.log.warn("credentials_braked", { address });
  }
  return { kind: "unknown" };
}

/** Who sent a request whose credential is good, or the refusal. */
export async function identify(
  c: Context<RequestFacts>,
  gate: Gate,
): Promise<Caller | Response> {
  const credential = credentialOf(c.req.raw.headers);
  const verdict = await judge(credential, c.env.address, gate);
  if (verdict.kind === "known") return verdict.caller;
  if (verdict.kind === "braked") return refuseBraked(c, verdict.seconds);
  c.header("WWW-Authenticate", 'Bearer realm="rootcellar"');
  return refuse(c, 401, "unauthorized", reasonOf(credential));
}

/** Why a credential opens nothing; of a token only what it says itself. */
function reasonOf(credential: string | undefined): string {
  const session = /^rcs_([1-9][0-9]{0,15})_/.exec(credential ?? "")?.[1];
  return session === undefined
    ? "A valid API key (X-API-Key or Authorization: Bearer) or session token (Authorization: Bearer rcs_…) is required"
    : `The token of session ${session} opens nothing: a token ends when its session is archived, and is good for the database that made it only. Register another session, and use its token`;
}

/**
 * Undefined when the request comes from an operator (an API key), else the
 * refusal; `what` begins its sentence.
 */
export async function refuseButOperators(
  c: Context<RequestFacts>,
  gate: Gate,
  what: string,
): Promise<Response | undefined> {
  const caller = await identify(c, gate);
  return caller instanceof Response ? caller : refuseSession(c, caller, what);
}

/** The same for a caller that is known already. */
export function refuseSession(
  c: Context<RequestFacts>,
  caller: Caller,
  what: string,
): Response | undefined {
  if (caller.kind === "key") return undefined;
  return refuse(
    c,
    403,
    "forbidden",
    `${what} is for operators: a session's token does not open it, an API key does`,
  );
}

/** The connection of a request whose credential is good, or the refusal. */
export async function admit(
  c: Context<RequestFacts>,
  gate: Gate,
): Promise<Connection | Response> {
  const caller = await identify(c, gate);
  if (caller instanceof Response) return caller;
  const connection = connectionOf(caller, new URL(c.req.url).searchParams);
  if (typeof connection !== "string") return connection;
  return refuse(c, 403, "forbidden", connection);
}

function refuseBraked(c: Context, seconds: number): Response {
  c.header("Retry-After", String(seconds));
  return refuse(
    c,
    429,
    "too_many_failures",
    `This credential is wrong, and too many wrong ones came from this address: the next is judged in ${seconds} s. A right one passes at any time`,
  );
}

/**
 * Where the client reached this server: scheme, host and port. A proxy that ends
 * TLS says so; the word reaches only the caller's own answer.
 */
export function originOf(c: Context<RequestFacts>): string {
  const { protocol, host } = new URL(c.req.url);
  const isSecure = c.req.header("x-forwarded-proto") === "https";
  return `${isSecure ? "https:" : protocol}//${host}`;
}

/** Whether a request brings a credential, good or bad. */
export function hasCredential(c: Context<RequestFacts>): boolean {
  return credentialOf(c.req.raw.headers) !== undefined;
}

/**
 * Whether the client is a program on this machine. A proxy on this machine is
 * one, too, and speaks for others: what bears the marks of one is not local.
 */
export function isLocal(c: Context<RequestFacts>): boolean {
  return LOOPBACK_REGEXP.test(c.env.address ?? "") &&
    hostsOf(c).every((host) => validateHostHeader(host, LOCAL_HOSTS).ok) &&
    !PROXY_HEADERS.some((name) => c.req.header(name) !== undefined);
}

/** Refuses hosts that are not ours; undefined lets pass. */
export function refuseForeignHost(
  c: Context,
  { allowedHosts }: HttpOptions,
): Response | undefined {
  const hosts = hostsOf(c);
  if (!hosts.every((host) => HOST_REGEXP.test(host))) {
    return refuse(
      c,
      400,
      "bad_host",
      "The Host header must be a host name or address, with or without a port",
    );
  }
  if (allowedHosts.includes("*")) return undefined;
  const isOurs = hosts.every((host) =>
    validateHostHeader(host, [...allowedHosts]).ok
  );
  if (isOurs) return undefined;
  return refuse(
    c,
    403,
    "forbidden_host",
    "This server does not answer to that host name; add it to ALLOWED_HOSTS",
  );
}

/**
 * Hosts that a request names: in its address (a request line in absolute form,
 * HTTP/2's `:authority`, or else the header), and in the header, which HTTP/2
 * may leave out. RFC 9110, section 7.2; RFC 9113, section 8.3.1.
 */
function hostsOf(c: Context): readonly string[] {
  const { host } = new URL(c.req.url);
  const header = c.req.header("host");
  return header === undefined ? [host] : [header, host];
}

/** Refuses web pages that may not call; undefined lets pass. */
export function refuseForeignOrigin(
  c: Context,
  options: HttpOptions,
): Response | undefined {
  const origin = c.req.header("origin");
  if (origin === undefined || isAllowedOrigin(origin, options)) {
    return undefined;
  }
  return refuse(
    c,
    403,
    "forbidden_origin",
    "Pages of that origin may not call this server; add its host name to ALLOWED_ORIGINS",
  );
}

/** Whether pages of an origin may call. */
export function isAllowedOrigin(
  origin: string,
  { allowedOrigins }: HttpOptions,
): boolean {
  return allowedOrigins.includes("*") ||
    validateOriginHeader(origin, [...allowedOrigins]).ok;
}
