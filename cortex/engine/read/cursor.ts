/**
 * Cursors: of item listings, a scope by its path and a place in it; of a
 * history, a place in each of its scopes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { quote } from "../../errors.ts";
import type { Layout, Scope } from "../../layout/layouts.ts";
import type { EventId } from "../../client/wire.ts";
import type { Filter } from "./filter.ts";
import { invalidRequest } from "../item/item_check.ts";
import { type Json, record, text, texts } from "../item/json.ts";
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
  return encode({
    f: digestOf(filter),
    s: scope.path,
    ...positionForm(position),
  });
}

/** Places in scopes, by their paths. */
export type Positions = ReadonlyMap<string, Position>;

/** A cursor through several scopes at once. */
export function writePositions(positions: Positions, query: object): string {
  const places = [...positions].map(([path, position]) => ({
    s: path,
    ...positionForm(position),
  }));
  return encode({ f: digestOf(query), p: places });
}

/**
 * Reads a cursor that `writePositions` made.
 *
 * @throws {CortexRefusalError} `invalid_request` for any other
 */
export function readPositions(cursor: string, query: object): Positions {
  const json = parse(cursor);
  const places = json?.p;
  if (json === undefined || !Array.isArray(places)) throw noCursor(cursor);
  checkDigest(json, query);
  return new Map(places.map((place: unknown) => {
    const form = record(place) ?? {};
    return [text(form.s) ?? "", readPosition(form)];
  }));
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
    throw noCursor(cursor);
  }
  checkDigest(json, filter);
  const { node, kind, below } = reading;
  const position = readPosition(json);
  return { scope: { node, kind, below, path: reading.path }, position };
}

function noCursor(cursor: string): Error {
  return invalidRequest(
    `${quote(cursor)} is no cursor of this listing; begin without one`,
  );
}

function checkDigest({ f }: Json, query: object): void {
  if (f === digestOf(query)) return;
  throw invalidRequest(
    "The cursor belongs to another filter; use the one it came with, or begin without a cursor",
  );
}

function positionForm({ cursor, after, storedAt }: Position): Json {
  return { c: cursor, a: after, t: storedAt };
}

function readPosition(json: Json): Position {
  return {
    cursor: text(json.c),
    after: (texts(json.a) ?? []) as readonly EventId[], // As answers gave them.
    storedAt: text(json.t),
  };
}

function encode(form: Json): string {
  return new TextEncoder().encode(JSON.stringify(form)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

function parse(cursor: string): Json | undefined {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
    return record(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

function digestOf(query: object): string {
  const form = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1);
  return createHash("sha256").update(JSON.stringify(form)).digest("hex")
    .slice(0, 12);
}
