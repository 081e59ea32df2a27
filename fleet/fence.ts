/**
 * The fence of a connection: which agent roots it may act on.
 *
 * A session is within it by the root that its row names, and by nothing else: a
 * row that names none, or one that the catalog has not, is outside, because what
 * cannot be placed cannot be admitted. A connection is never fenced from its own
 * session.
 *
 * @module
 */
import {
  type CatalogLoader,
  type CatalogSnapshot,
  cutText,
  decideBy,
} from "../catalog/mod.ts";
import type { Session } from "../store/sessions/mod.ts";
import { FleetRefusalError } from "./errors.ts";

/** What a connection says of itself, as far as the fence needs it. */
export interface Fenced {
  /** Roots it may act on, as it names them; null is all. */
  readonly allowedAgentRoots: readonly string[] | null;
  /** Its own session, where it names one. */
  readonly sessionId: number | null;
}

/** What of a session decides whether it is within. */
export type Placed = Pick<Session, "id" | "agentRootKey">;

/** Whether a root, by name or alias, is one that the connection may act on. */
export function admitsRoot(
  { allowedAgentRoots }: Pick<Fenced, "allowedAgentRoots">,
  catalog: CatalogSnapshot,
  name: string | null,
): boolean {
  if (allowedAgentRoots === null) return true;
  const root = name === null ? undefined : catalog.findRoot(name);
  return root !== undefined &&
    allowedAgentRoots.some((allowed) => catalog.findRoot(allowed) === root);
}

/** Whether a connection may act on a session. */
export function admitsSession(
  fenced: Fenced,
  catalog: CatalogSnapshot,
  { id, agentRootKey }: Placed,
): boolean {
  return id === fenced.sessionId || admitsRoot(fenced, catalog, agentRootKey);
}

/**
 * Refuses a session that the connection may not act on. Without a fence the
 * catalog is not asked.
 *
 * @throws {FleetRefusalError} Code `outside_fence`.
 * @throws {CatalogUnavailableError} There is a fence, and no catalog.
 */
export async function assertWithinFence(
  catalog: CatalogLoader,
  fenced: Fenced,
  session: Placed,
): Promise<void> {
  const { allowedAgentRoots } = fenced;
  if (allowedAgentRoots === null || session.id === fenced.sessionId) return;
  await decideBy(catalog, (snapshot) => {
    if (admitsSession(fenced, snapshot, session)) return;
    throw new FleetRefusalError(
      "outside_fence",
      `Session ${session.id} is not of an agent root that this connection may act on (allowed_agent_roots: ${
        cutText(allowedAgentRoots.join(", "), 200)
      }); nothing was read or changed`,
    );
  });
}
