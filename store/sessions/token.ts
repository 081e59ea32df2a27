/**
 * Session tokens: `rcs_<id>_<secret>`, of which only the SHA-256 is stored. A
 * token ends when its session is archived.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { Queryable, Row } from "../pg/db.ts";
import { type Session, SESSION_COLUMNS, toSession } from "./session.ts";

const TOKEN_REGEXP = /^rcs_([1-9][0-9]{0,15})_[A-Za-z0-9_-]{43}$/;
const SECRET_BYTES = 32;

/** Whether a credential has the form of a session token. */
export function isSessionToken(credential: string): boolean {
  return credential.startsWith("rcs_");
}

/** A new token of a session. */
export function makeToken(sessionId: string): string {
  return `rcs_${sessionId}_${makeSecret()}`;
}

/** The part of a token that nobody can guess. */
export function makeSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** What is stored of a token: its SHA-256 in hexadecimal digits. */
export async function hashOf(token: string): Promise<string> {
  const bytes = new TextEncoder().encode(token);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Whether what is stored is of this token, in a time that tells nothing. */
export async function isHashOf(
  token: string,
  stored: unknown,
): Promise<boolean> {
  const encoder = new TextEncoder();
  return timingSafeEqual(
    encoder.encode(await hashOf(token)),
    encoder.encode(String(stored)),
  );
}

/** The session that a token proves; undefined when it proves none. */
export async function findSessionByToken(
  db: Queryable,
  token: string,
): Promise<Session | undefined> {
  const id = TOKEN_REGEXP.exec(token)?.[1];
  if (id === undefined) return undefined;
  const [row] = await db.read<Row>(
    `select ${SESSION_COLUMNS}, encode(token_hash, 'hex') as hash from sessions
     where id = $1 and token_hash is not null and status <> 'archived'`,
    [id],
  );
  return row !== undefined && await isHashOf(token, row.hash)
    ? toSession(row)
    : undefined;
}
