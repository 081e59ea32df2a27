/**
 * Reads what a form sent.
 *
 * @module
 */
import { type BodyLimits, readBytes } from "../http/body.ts";

/** The fields of a form by name; a name that comes twice has its last value. */
export type FormFields = Readonly<Record<string, unknown>>;

/** All values of a form's fields, by name. */
export type FieldLists = Readonly<Record<string, readonly string[]>>;

/** What a form sent. */
export interface ReadForm {
  /** Its fields, the last of each name. */
  readonly fields: FormFields;
  /** All texts of each name. */
  readonly lists: FieldLists;
}

/** Enough for the longest text of a form, as forms write it. */
export const MAX_FIELD_BYTES = 4 * 1024 * 1024;

const NO_FIELDS: ReadForm = { fields: {}, lists: {} };

/** The fields, or why they were not read. What is no form has no fields. */
export async function readForm(
  request: Request,
  limits: BodyLimits,
): Promise<ReadForm | "too_slow" | "too_large"> {
  const body = await readBytes(request, limits);
  if (body.kind === "malformed") return NO_FIELDS;
  if (body.kind !== "bytes") return body.kind;
  const type = request.headers.get("content-type") ?? "";
  try {
    const headers = { "content-type": type };
    const fields = await new Response(body.bytes, { headers }).formData();
    const lists: Record<string, string[]> = {};
    for (const [name, value] of fields) {
      if (typeof value === "string") (lists[name] ??= []).push(value);
    }
    return { fields: Object.fromEntries(fields), lists };
  } catch {
    return NO_FIELDS;
  }
}

/** A field's text; undefined where it is absent, blank or a file. */
export function fieldOf(fields: FormFields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== ""
    ? value.trim()
    : undefined;
}
