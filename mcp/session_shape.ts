/**
 * A session as programs are shown it, on the command line and over REST.
 *
 * @module
 */
import { type Session, SESSION_STATUSES } from "../store/sessions/mod.ts";
import { isoTime } from "./render.ts";
import {
  COUNT,
  FLAG,
  FREE,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "./schema.ts";

/** A session. */
export const SESSION = objectOf({
  id: COUNT,
  agent_root: orNull(TEXT),
  title: TEXT,
  slug: orNull(TEXT),
  status: wordOf(SESSION_STATUSES),
  parent_session_id: orNull(COUNT),
  tool_groups: orNull(listOf(TEXT)),
  has_token: FLAG,
  metadata: FREE,
  custom_metadata: FREE,
  created_at: TIME,
  updated_at: TIME,
  archived_at: orNull(TIME),
});

/** The session with the field names of the wire; never its token. */
export function sessionShape(session: Session): ValueOf<typeof SESSION> {
  return {
    id: session.id,
    agent_root: session.agentRootKey,
    title: session.title,
    slug: session.slug,
    status: session.status,
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

/** The same for whoever only shows it. */
export function describeSession(
  session: Session,
): Readonly<Record<string, unknown>> {
  return sessionShape(session);
}
