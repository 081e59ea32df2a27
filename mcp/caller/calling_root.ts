/**
 * Where a call's root data lives: connection → session → root → namespace.
 * Memory goes the same way as far as the root.
 *
 * Every step refuses rather than guesses, each with its own text. A session's
 * repository is never consulted: several roots share one.
 * Specification: docs/spec/root_data.md section 4.
 *
 * @module
 */
import type { AgentRoot, CatalogSnapshot } from "../../catalog/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import { ToolError } from "../errors.ts";
import type { ToolContext } from "../services.ts";

/** The agent root that a call acts for. */
export interface CallingRoot {
  /** The calling session. */
  readonly sessionId: number;
  /** The session's root, aliases applied. */
  readonly root: AgentRoot;
  /** The catalog that said so. */
  readonly catalog: CatalogSnapshot;
}

/** The calling session's own store. */
export interface RootData extends CallingRoot {
  /** The migrated database. */
  readonly db: Db;
  /** The namespace its records live under. */
  readonly namespace: string;
}

/**
 * Resolves the caller's namespace. With `isAnew` the session is looked up even
 * where it is remembered: for calls whose statements do not ask for it.
 *
 * @throws {ToolError} One text a case.
 */
export async function resolveRootData(
  context: ToolContext,
  options: { readonly isAnew?: boolean } = {},
): Promise<RootData> {
  const calling = await resolveCallingRoot(context, "Root data", options);
  const namespace = validNamespace(calling.root);
  const db = await context.services.store.db();
  return { ...calling, db, namespace };
}

/**
 * Resolves the caller's root. `subject` is what the call is about.
 *
 * @throws {ToolError} One text a case
 */
export async function resolveCallingRoot(
  { connection, services }: ToolContext,
  subject: "Root data" | "Memory",
  options: { readonly isAnew?: boolean } = {},
): Promise<CallingRoot> {
  const what = subject.toLowerCase();
  const sessionId = connection.sessionId ??
    await connection.startSession?.() ?? null;
  if (sessionId === null) {
    throw new ToolError(
      `${subject} belongs to the calling session's agent root, and this connection names no session: add session_id=<id> to the MCP URL, or start stdio with --root or --session`,
    );
  }
  if (services.requireSessionToken && !connection.isProven) {
    throw new ToolError(
      `This server opens ${what} only to connections that prove their session: present the session's token (Authorization: Bearer rcs_…) instead of an API key`,
    );
  }
  const rootKey = await services.sessionRoots.rootOf(sessionId, options);
  if (rootKey === undefined) {
    throw new ToolError(
      `This connection names session ${sessionId}, which does not exist; register one and put its id into the MCP URL`,
    );
  }
  if (rootKey === null || rootKey.trim() === "") {
    throw new ToolError(
      `Session ${sessionId} was not started from an agent root, so it has no ${what}`,
    );
  }
  const catalog = await services.catalog.current();
  const root = catalog.findRoot(rootKey);
  if (root === undefined) {
    throw new ToolError(
      `Agent root "${rootKey}" (session ${sessionId}) is not in the catalog, so its namespace is unknown; add it to the catalog or start a session of a root that is there`,
    );
  }
  return { sessionId, root, catalog };
}

/** The root's namespace. @throws {ToolError} Where it may not be used. */
export function validNamespace(root: AgentRoot): string {
  if (root.namespaceIsValid) return root.namespace;
  const form = 'text of 1 to 200 lowercase letters, digits, ".", "_" or "-"';
  const declared = root.entry.data_namespace;
  const isText = typeof declared === "string" || !root.namespaceIsDeclared;
  // The catalog has cut it already.
  const shown = isText ? JSON.stringify(root.namespace) : root.namespace;
  throw new ToolError(
    `Agent root "${root.name}" resolves to the namespace ${shown}, which is not valid: a namespace is ${form}${
      isText ? "" : `, and this is ${typeName(declared)}`
    }. ${
      root.namespaceIsDeclared ? "Correct" : "Set"
    } data_namespace in the catalog`,
  );
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
