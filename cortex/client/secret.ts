/**
 * Keeps a credential out of everything that is shown.
 *
 * @module
 */

const MASK = "[credential]";

/** The text with every occurrence of the credential masked. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === "") return text;
  return text
    .replaceAll(secret, MASK)
    .replaceAll(encodeURIComponent(secret), MASK);
}

/**
 * The fault as it may be kept in `cause`: itself, unless the credential would
 * show when it is printed; then its name and its masked message alone.
 */
export function faultWithoutSecret(fault: unknown, secret: string): unknown {
  const shown = Deno.inspect(fault, {
    depth: 8,
    iterableLimit: Infinity,
    strAbbreviateSize: Infinity,
  });
  if (withoutSecret(shown, secret) === shown) return fault;
  const message = fault instanceof Error ? fault.message : String(fault);
  const masked = new Error(withoutSecret(message, secret));
  if (fault instanceof Error) masked.name = withoutSecret(fault.name, secret);
  return masked;
}
