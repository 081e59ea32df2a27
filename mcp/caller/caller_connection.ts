/**
 * Joins who calls with what the URL asks for.
 *
 * A session token makes the connection that session, confined to the session's
 * own groups; a URL that names another session is refused.
 * Specification: docs/design.md section 4.
 *
 * @module
 */
import { narrowFence } from "../../fleet/mod.ts";
import type { Caller, Connection } from "./connection.ts";
import { parseConnection } from "./parse_connection.ts";
import { DEFAULT_SESSION_GROUPS } from "../tools/groups.ts";

/** The connection, or the reason why it is refused. */
export function connectionOf(
  caller: Caller,
  query: URLSearchParams,
): Connection | string {
  const asked = parseConnection(query);
  if (caller.kind === "key") return { ...asked, keyDigest: caller.digest };
  const { id, toolGroups } = caller.session;
  const named = query.get("session_id")?.trim() ?? "";
  if (named !== "" && asked.sessionId !== id) {
    return `This token proves session ${id}, and the URL names another one; drop session_id from the URL`;
  }
  const own = toolGroups ?? DEFAULT_SESSION_GROUPS;
  const names = query.get("tool_groups")?.replaceAll(",", "").trim() ?? "";
  return {
    ...asked,
    groups: names === "" ? own : asked.groups,
    confinedTo: own,
    // Stored with the session: an address can only narrow it.
    allowedAgentRoots: narrowFence(
      caller.session.allowedAgentRoots,
      asked.allowedAgentRoots,
    ),
    sessionId: id,
    isProven: true,
    unheardTurn: caller.unheardTurn,
  };
}
