/**
 * Cursors of item listings: a scope by its path, and a place in it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { quote } from "../../errors.ts";
import type { Layout, Scope } from "../../layout/layouts.ts";
import type { EventId } from "../../client/wire.ts";
import type { Filter } from "./filter.ts";
import { invalidRequest } from "../item/item_check.ts";
import { record, text, texts } from "../item/json.ts";
import type { Position } from "./walk.ts";

/** Where a listing goes on. */
export interface Resume {
  /** The scope. It may be gone; then the next one is meant. */
  readonly scope: Scope;
  /** The place in it. */
  readonly position: Position;
}

/** A cursor as callers hold it. */
export function writeCursor(
  { scope, position }: Resume,
  filter: Filter,
): string {
  const json = JSON.stringify({
    f: digestOf(filter),
    s: scope.path,
    c: position.cursor,
    a: position.after,
    t: position.storedAt,
  });
  return new TextEncoder().encode(json).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/**
 * Reads a cursor.
 *
 * @throws {CortexRefusalError} `invalid_request` for anything but what
 * `writeCursor` made for the same filter
 */
export function readCursor(
  layout: Layout,
  cursor: string,
  filter: Filter,
): Resume {
  const json = parse(cursor);
  const path = text(json?.s);
  const reading = path === undefined ? undefined : layout.parse(path);
  if (json === undefined || reading?.ok !== true) {
    throw invalidRequest(
      `${quote(cursor)} is no cursor of this listing; begin without one`,
    );
  }
  if (json.f !== digestOf(filter)) {
    throw invalidRequest(
      "The cursor belongs to another filter; use the one it came with, or begin without a cursor",
    );
  }
  const { node, kind, below } = reading;
  const position = {
    cursor: text(json.c),
    after: (texts(json.a) ?? []) as readonly EventId[], // As answers gave them.
    storedAt: text(json.t),
  };
  return { scope: { node, kind, below, path: reading.path }, position };
}

function parse(cursor: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
    return record(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

function digestOf(filter: Filter): string {
  const form = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1);
  return createHash("sha256").update(JSON.stringify(form)).digest("hex")
    .slice(0, 12);
}
