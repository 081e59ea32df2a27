/**
 * What tells callers apart that may not do a thing twice in a row: the API key,
 * whichever surface it comes by; else the session that is proven, the person
 * who signed in, or whoever started this process.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { Connection } from "./connection.ts";

/** The digest of an API key, in hexadecimal digits. */
export function digestOf(text: string): string {
  return hash("sha256", text);
}

/** The digest of whoever is behind a connection. */
export function callerDigest(
  { keyDigest, sessionId, isProven }: Connection,
): string {
  if (keyDigest !== undefined) return keyDigest;
  return digestOf(
    isProven && sessionId !== null ? `session ${sessionId}` : "stdio",
  );
}
