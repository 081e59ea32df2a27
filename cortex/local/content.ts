/**
 * The content of an event: a union on `kind`, and the text that a search and a
 * citation see of it.
 *
 * @module
 */
import { ROLES } from "../words.ts";
import { invalid } from "./wire_error.ts";
import { assertKnown, optionalWord } from "./fields.ts";
import { isRecord, type JsonRecord } from "./json_body.ts";

/** Most bytes of an event's text. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** Content that was read. */
export interface EventContent {
  /** Its kind. */
  readonly kind: string;
  /** As given, with its kind named. */
  readonly value: JsonRecord;
  /** What there is to read in it. */
  readonly text: string;
}

/** Fields of each kind. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  message: ["role", "text", "media"],
  text: ["text"],
  json: ["data"],
  triple: ["triple"],
};

/** Reads an event's content. @throws {WireError} 422. */
export function readContent(content: JsonRecord | undefined): EventContent {
  if (content === undefined) throw invalid("content is required");
  const kind = content.kind ?? "text";
  if (kind === "blob_ref") {
    throw invalid("Blobs are not kept here: send the text instead");
  }
  const fields = typeof kind === "string" && Object.hasOwn(KINDS, kind)
    ? KINDS[kind]
    : undefined;
  if (typeof kind !== "string" || fields === undefined) {
    throw invalid(
      `content.kind must be one of ${Object.keys(KINDS).join(", ")}`,
    );
  }
  assertKnown(content, ["kind", ...fields], "content.");
  const text = readText(kind, content);
  if (new TextEncoder().encode(text).length > MAX_TEXT_BYTES) {
    throw invalid(
      `The event's text has more than ${MAX_TEXT_BYTES} bytes`,
      "INVALID_ENVELOPE",
    );
  }
  return { kind, value: { ...content, kind }, text };
}

/** What there is to read in stored content. */
export function textOf(content: JsonRecord): string {
  const { text, data, triple } = content;
  if (typeof text === "string") return text;
  if (isRecord(triple)) return Object.values(triple).join(" ");
  return data === undefined ? "" : JSON.stringify(data);
}

function readText(kind: string, content: JsonRecord): string {
  if (kind === "message") {
    optionalWord(content, "role", ROLES);
    if (content.role === undefined) throw invalid("content.role is required");
  }
  if (kind === "json" && content.data === undefined) {
    throw invalid("content.data is required");
  }
  if (kind === "triple") assertTriple(content.triple);
  if ((kind === "message" || kind === "text")) {
    if (typeof content.text !== "string") {
      throw invalid("content.text must be a text");
    }
  }
  return textOf(content);
}

function assertTriple(triple: unknown): void {
  const parts = ["subject", "predicate", "object"];
  if (
    !isRecord(triple) || parts.some((part) => typeof triple[part] !== "string")
  ) throw invalid(`content.triple must have the texts ${parts.join(", ")}`);
  assertKnown(triple, parts, "content.triple.");
}
