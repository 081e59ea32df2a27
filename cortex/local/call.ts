/**
 * One admitted request on its way to a route, and the reading of its query.
 *
 * @module
 */
import { TEXT_LIMIT_HEADER } from "../client/headers.ts";
import { quote } from "../errors.ts";
import type { QueryVectors } from "./embeddings/query_vectors.ts";
import { invalid } from "./wire_error.ts";
import type { EventLog, LogShare } from "./port.ts";
import type { PackShelf } from "./packs.ts";

/** A request whose sender is known. */
export interface WireCall {
  /** The request; its body is still unread. */
  readonly request: Request;
  /** Its query. */
  readonly query: URLSearchParams;
  /** The rest of its path, behind the route's name. */
  readonly rest: string;
  /** Who sends it. */
  readonly actor: string;
  /** The storage. */
  readonly log: EventLog;
  /** Packs of recent recalls. */
  readonly packs: PackShelf;
  /** Vectors of queries; undefined: there is no embedding service. */
  readonly vectors: QueryVectors | undefined;
  /** Clock of answers' own timings, in milliseconds. */
  readonly now: () => number;
}

/** Answers one route. */
export type Route = (call: WireCall) => Promise<Response>;

/**
 * Refuses parameters that the route does not know: a misspelt cursor must not
 * read the first page forever.
 */
export function assertKnownQuery(
  query: URLSearchParams,
  known: readonly string[],
): void {
  const stranger = [...query.keys()].find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw invalid(
    `Unknown parameter ${quote(stranger)}; known: ${known.join(", ")}`,
    "INVALID_QUERY",
  );
}

/** A parameter that has to be there. */
export function requiredParameter(
  query: URLSearchParams,
  name: string,
): string {
  const value = query.get(name);
  if (value !== null && value !== "") return value;
  throw invalid(`Parameter ${name} is required`, "INVALID_QUERY");
}

/** A limit: at least 1, and cut to the most that is given at once. */
export function limitParameter(
  query: URLSearchParams,
  { standard, most }: { readonly standard: number; readonly most: number },
): number {
  const text = query.get("limit");
  if (text === null) return standard;
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw invalid("limit must be a whole number from 1", "INVALID_QUERY");
  }
  return Math.min(Number(text), most);
}

/** A switch of the query. */
export function switchParameter(
  query: URLSearchParams,
  name: string,
): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw invalid(`${name} must be true or false`, "INVALID_QUERY");
}

/** How much of each text is asked for. @throws {WireError} 422. */
export function shareOf(request: Request): LogShare {
  const textLimit = numberHeader(request, TEXT_LIMIT_HEADER);
  return textLimit === undefined ? {} : { textLimit };
}

/** A number that a header asks for. @throws {WireError} 422. */
export function numberHeader(
  { headers }: Request,
  name: string,
): number | undefined {
  const text = headers.get(name);
  if (text === null) return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw invalid(`${name} must be a whole number from 1`, "INVALID_QUERY");
}
