/**
 * Reads the arguments of a REST request out of path, query and body, for the
 * same check as a tool's.
 *
 * @module
 */
import { isJsonContentType } from "@modelcontextprotocol/server";
import { checkArguments } from "../tools/arguments.ts";
import { readBody } from "../http/body.ts";
import { ToolError } from "../errors.ts";
import { cutText } from "../render.ts";
import { pathNames, PREFIX, type RestRoute } from "./route.ts";

/** A body that is not read as arguments. */
export interface BodyRefusal {
  /** HTTP status. */
  readonly status: 400 | 408 | 413 | 415;
  /** Label of the envelope. */
  readonly error: string;
  /** What is wrong. */
  readonly message: string;
}

const BODY_REFUSALS = {
  too_large: {
    status: 413,
    error: "body_too_large",
    message: "The body is larger than 4 MiB",
  },
  too_slow: {
    status: 408,
    error: "body_too_slow",
    message: "The body did not arrive in time",
  },
  too_deep: {
    status: 400,
    error: "body_too_deep",
    message: "The body is nested deeper than 64 levels",
  },
  malformed: {
    status: 400,
    error: "malformed_json",
    message: "The body is not valid JSON in UTF-8",
  },
  media_type: {
    status: 415,
    error: "unsupported_media_type",
    message: "Content-Type must be application/json",
  },
} as const satisfies Readonly<Record<string, BodyRefusal>>;

/** The arguments, or why the body was not read. @throws {ToolError} */
export async function readArguments(
  route: Pick<RestRoute, "method" | "path" | "input">,
  request: Request,
  { path, bodyLimitMs }: {
    readonly path: Readonly<Record<string, string>>;
    /** How long the body may take to arrive, in milliseconds. */
    readonly bodyLimitMs: number;
  },
): Promise<
  { readonly args: unknown } | { readonly refusal: BodyRefusal }
> {
  const query = queryOf(new URL(request.url).searchParams);
  let given: Readonly<Record<string, unknown>> = query;
  if (route.method === "POST") {
    const [name] = Object.keys(query);
    if (name !== undefined) {
      throw new ToolError(
        `"${
          cutText(name, 80)
        }" is in the query: this route takes its arguments as a JSON body`,
      );
    }
    const body = await bodyOf(request, bodyLimitMs);
    if ("refusal" in body) return body;
    if (!isObject(body.value)) {
      throw new ToolError("Invalid arguments: they must be a JSON object");
    }
    given = body.value;
  }
  const inPath = pathNames(route.path);
  const twice = inPath.find((name) => Object.hasOwn(given, name));
  if (twice !== undefined) {
    throw new ToolError(`"${twice}" is part of the path, and nowhere else`);
  }
  const named = Object.fromEntries(inPath.map((name) => [name, path[name]]));
  const args = checkArguments(
    { name: `${route.method} ${PREFIX}${route.path}`, input: route.input },
    { ...given, ...named },
  );
  return { args };
}

/**
 * Every name once: of two values, one would be dropped without a word. NUL is
 * in no name or text that is stored, and the database refuses to look for it.
 */
function queryOf(query: URLSearchParams): Readonly<Record<string, string>> {
  const read: [string, string][] = [];
  for (const [name, value] of query) {
    if (read.some(([known]) => known === name)) {
      throw new ToolError(`"${cutText(name, 80)}" is given more than once`);
    }
    if (value.includes("\u0000")) {
      throw new ToolError(`"${cutText(name, 80)}" holds the NUL character`);
    }
    read.push([name, value]);
  }
  return Object.fromEntries(read);
}

async function bodyOf(
  request: Request,
  limitMs: number,
): Promise<{ readonly value: unknown } | { readonly refusal: BodyRefusal }> {
  const body = await readBody(request, limitMs);
  // A POST without a body may come without a length, too, as curl sends it.
  if (body.kind === "empty") return { value: {} };
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return { refusal: BODY_REFUSALS.media_type };
  }
  return body.kind === "json"
    ? { value: body.value }
    : { refusal: BODY_REFUSALS[body.kind] };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
