/**
 * Secrets of webhooks. The address's is kept as a hash alone; what senders sign
 * with is kept as it is, since checking a signature needs it.
 *
 * @module
 */

/** Bytes of chance in a secret. */
const SECRET_BYTES = 32;

/** A new end of an address. */
export function makeSecret(): string {
  return `whk_${randomText()}`;
}

/** A new key to sign with. */
export function makeSigningKey(): string {
  return `whs_${randomText()}`;
}

/** SHA-256 of a secret. */
export async function secretHash(
  secret: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(secret);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function randomText(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}
