/**
 * Reads a connection from the URL's query and nowhere else, so no call can
 * widen its own connection. Pure.
 *
 * @module
 */
import { parseGroups, splitList } from "../tools/groups.ts";
import type { Connection } from "./connection.ts";

/** Reads a connection from a URL's query. Never throws. */
export function parseConnection(query: URLSearchParams): Connection {
  const { groups, unknown } = parseGroups(query.get("tool_groups"));
  const roots = splitList(query.get("allowed_agent_roots"));
  return {
    groups,
    confinedTo: undefined,
    unknownGroups: unknown,
    allowedAgentRoots: roots.length === 0 ? null : roots,
    sessionId: oneSession(query.getAll("session_id")),
    isProven: false,
  };
}

/** Two that differ name none: taking either would be a guess. */
function oneSession(values: readonly string[]): number | null {
  const [id = null, ...others] = new Set(values.map(parseSessionId));
  return others.length === 0 ? id : null;
}

/** Reads a session id: digits only, above zero; anything else is none. */
export function parseSessionId(value: string | null): number | null {
  const text = value?.trim() ?? "";
  if (!/^[0-9]+$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
