/**
 * Ports for servers that must be told theirs before they start.
 *
 * @module
 */
const FIRST = 12_000;
const PORTS = 18_000;

/**
 * A port of loopback that nothing listens on. It lies below those that a system
 * gives to outgoing connections (32,768 on Linux, 49,152 by RFC 6335 section 6):
 * one of these could be taken by any connection before the server has it.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
