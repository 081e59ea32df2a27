/**
 * A session as programs are shown it, on the command line and over REST.
 *
 * @module
 */
import type { Session } from "../store/sessions/mod.ts";
import { isoTime } from "./render.ts";

/** The session with the field names of the wire; never its token. */
export function sessionShape(session: Session): Record<string, unknown> {
  return {
    id: session.id,
    agent_root: session.agentRootKey,
    title: session.title,
    slug: session.slug,
    status: session.status,
    driven_by: session.drivenBy,
    parent_session_id: session.parentSessionId,
    tool_groups: session.toolGroups,
    has_token: session.hasToken,
    metadata: session.metadata,
    custom_metadata: session.customMetadata,
    created_at: isoTime(session.createdAt),
    updated_at: isoTime(session.updatedAt),
    archived_at: isoTime(session.archivedAt),
  };
}
