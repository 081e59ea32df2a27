/**
 * Where a call's root data lives: connection → session → root → namespace.
 *
 * Every step refuses rather than guesses, each with its own text. A session's
 * repository is never consulted: several roots share one.
 * Specification: root-data section 4.
 *
 * @module
 */
import type { AgentRoot, CatalogSnapshot } from "../catalog/mod.ts";
import type { Db } from "../store/mod.ts";
import { ToolError } from "./errors.ts";
import { cutText } from "./render.ts";
import type { ToolContext } from "./tool.ts";

/** The calling session's own store. */
export interface RootData {
  /** The migrated database. */
  readonly db: Db;
  /** The calling session. */
  readonly sessionId: number;
  /** The session's root, aliases applied. */
  readonly root: AgentRoot;
  /** The namespace its records live under. */
  readonly namespace: string;
  /** The catalog that said so. */
  readonly catalog: CatalogSnapshot;
}

/** Resolves the caller's namespace. @throws {ToolError} One text a case. */
export async function resolveRootData(
  { connection, services }: ToolContext,
): Promise<RootData> {
  const sessionId = connection.sessionId ??
    await connection.startSession?.() ?? null;
  if (sessionId === null) {
    throw new ToolError(
      "Root data belongs to the calling session's agent root, and this connection names no session: add session_id=<id> to the MCP URL, or start stdio with --root or --session",
    );
  }
  if (services.requireSessionToken && !connection.isProven) {
    throw new ToolError(
      "This server opens root data only to connections that prove their session: present the session's token (Authorization: Bearer rcs_…) instead of an API key",
    );
  }
  const rootKey = await services.sessionRoots.rootOf(sessionId);
  if (rootKey === undefined) {
    throw new ToolError(
      `This connection names session ${sessionId}, which does not exist; register one and put its id into the MCP URL`,
    );
  }
  if (rootKey === null || rootKey.trim() === "") {
    throw new ToolError(
      `Session ${sessionId} was not started from an agent root, so it has no root data`,
    );
  }
  const catalog = await services.catalog.current();
  const root = catalog.findRoot(rootKey);
  if (root === undefined) {
    throw new ToolError(
      `Agent root "${rootKey}" (session ${sessionId}) is not in the catalog, so its namespace is unknown; add it to the catalog or start a session of a root that is there`,
    );
  }
  if (!root.namespaceIsValid) {
    throw new ToolError(
      `Agent root "${root.name}" resolves to the namespace ${
        JSON.stringify(cutText(root.namespace, 200))
      }, which is not valid: a namespace is text of 1 to 200 lowercase letters, digits, ".", "_" or "-". Correct data_namespace in the catalog`,
    );
  }
  const db = await services.store.db();
  return { db, sessionId, root, namespace: root.namespace, catalog };
}
