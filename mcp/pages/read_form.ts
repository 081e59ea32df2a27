/**
 * Reads what a form sent.
 *
 * @module
 */
import { type BodyLimits, readBytes } from "../http/body.ts";

/** The fields of a form by name; a name that comes twice has its last value. */
export type FormFields = Readonly<Record<string, unknown>>;

/** Enough for the longest text of a form, as forms write it. */
export const MAX_FIELD_BYTES = 512 * 1024;

/** The fields, or why they were not read. What is no form has no fields. */
export async function readForm(
  request: Request,
  limits: BodyLimits,
): Promise<FormFields | "too_slow" | "too_large"> {
  const body = await readBytes(request, limits);
  if (body.kind === "malformed") return {};
  if (body.kind !== "bytes") return body.kind;
  const type = request.headers.get("content-type") ?? "";
  try {
    const headers = { "content-type": type };
    const fields = await new Response(body.bytes, { headers }).formData();
    return Object.fromEntries(fields);
  } catch {
    return {};
  }
}

/** A field's text; undefined where it is absent, blank or a file. */
export function fieldOf(fields: FormFields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== ""
    ? value.trim()
    : undefined;
}
