/**
 * Checks what a client is built from, before anything is sent.
 *
 * @module
 */

import type { ClientOptions } from "./client_types.ts";
import { type ConfigProblem, CortexConfigError, quote } from "../errors.ts";

const LOOPBACK_REGEXP = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const HEADER_NAME_REGEXP = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const HEADER_VALUE_REGEXP = /^[\x20-\x7e]{0,1024}$/;

/** Names that say they bear a credential. */
const CREDENTIAL_NAME_REGEXP =
  /auth|cookie|token|secret|passw|credential|api-?key|session/i;

/** Set by the client itself or by the connection. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-cortex-actor",
]);

/** Whether a header can carry the text: printable ASCII without spaces. */
export function isHeaderToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * The endpoint, with a slash at its end so that a path in it is kept.
 *
 * @throws {CortexConfigError} with every option that is wrong
 */
export function checkClientOptions(options: ClientOptions): URL {
  const problems: ConfigProblem[] = [];
  const report = (setting: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ setting, message });
  };
  report("endpoint", endpointProblem(options.endpoint));
  report("apiKey", credentialProblem(options.credential));
  report("actor", actorProblem(options.actor));
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    report("headers", headerProblem(name, value));
  }
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    if (value === undefined || Number.isSafeInteger(value) && value > 0) {
      continue;
    }
    report("limits", `${name} is no whole number above 0`);
  }
  if (problems.length > 0) throw new CortexConfigError(problems);
  const base = new URL(options.endpoint);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return base;
}

/** Says nothing of the address itself, which may hold a credential. */
function endpointProblem(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return "is no URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "is neither https: nor http:";
  }
  if (url.username !== "" || url.password !== "") {
    return "carries a user name or password; use the key's own setting";
  }
  if (url.protocol === "http:" && !LOOPBACK_REGEXP.test(url.hostname)) {
    return "is http: and not on loopback; use https:";
  }
  return url.search === "" && url.hash === ""
    ? undefined
    : "carries a query or a fragment; name the address alone";
}

function credentialProblem(
  credential: ClientOptions["credential"],
): string | undefined {
  if (typeof credential !== "string") return undefined;
  if (credential.trim() === "") return "is blank";
  return isHeaderToken(credential)
    ? undefined
    : "holds a space or a character that no header can carry";
}

function actorProblem(actor: string | undefined): string | undefined {
  return actor === undefined || isHeaderToken(actor)
    ? undefined
    : "holds a space or a character that no header can carry";
}

/** Says nothing of the value: whatever a host put there may be secret. */
function headerProblem(name: string, value: string): string | undefined {
  const shown = quote(name);
  if (!HEADER_NAME_REGEXP.test(name)) return `${shown} is no header name`;
  if (CREDENTIAL_NAME_REGEXP.test(name)) {
    return `${shown} bears a credential; use the key's own setting`;
  }
  const lower = name.toLowerCase();
  if (OWN_NAMES.has(lower) || lower.startsWith("proxy-")) {
    return `${shown} is set by the client itself`;
  }
  return HEADER_VALUE_REGEXP.test(value)
    ? undefined
    : `${shown} has a value that no header can carry`;
}
