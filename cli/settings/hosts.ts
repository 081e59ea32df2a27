/**
 * Host names and addresses, as settings write them.
 *
 * @module
 */

/** The names of this machine to itself. */
export const LOOPBACK_NAMES: readonly string[] = [
  "localhost",
  "127.0.0.1",
  "[::1]",
];

/** Whether an address is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" ||
    /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/**
 * The host by which this machine reaches what listens on `host`: who listens on
 * all addresses has none that clients could be told, but loopback.
 */
export function reachableHost(host: string): string {
  switch (hostName(host)) {
    case "0.0.0.0":
    case "[::ffff:0:0]":
      return "127.0.0.1";
    case "[::]":
      return "::1";
    default:
      return host;
  }
}

/** An IPv6 address in brackets, as URLs have it; anything else as it is. */
export function bracketed(host: string): string {
  return (host.match(/:/g) ?? []).length > 1 && !host.startsWith("[")
    ? `[${host}]`
    : host;
}

/** A host as the Host header has it: lower case, without port. */
export function hostName(text: string): string {
  if (text === "*") return text;
  const address = text.includes("://") ? text : `http://${bracketed(text)}`;
  return URL.canParse(address) ? new URL(address).hostname : text;
}
