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
import {
  type AgentRoot,
  type CatalogSnapshot,
  decideBy,
  leftOut,
  namespaceProblem,
  staleNote,
} from "../../catalog/mod.ts";
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

/** A session that a call acts for, and the key of its root. */
interface CallingSession {
  readonly sessionId: number;
  readonly rootKey: string;
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
  return await decideByRoot(context, (calling) => calling, options);
}

/**
 * Resolves the caller's namespace and decides by what its root declares. A
 * decision that throws is made again by what the catalog says now.
 *
 * @throws {ToolError} One text a case, and what the decision throws.
 */
export async function decideByRoot<T>(
  context: ToolContext,
  decide: (calling: RootData) => T | Promise<T>,
  options: { readonly isAnew?: boolean } = {},
): Promise<T> {
  const { services } = context;
  const session = await resolveSession(context, "Root data", options);
  return await decideBy(services.catalog, async (catalog) => {
    const calling = findCallingRoot(session, catalog);
    const namespace = validNamespace(calling.root, catalog);
    const db = await services.store.db();
    return await decide({ ...calling, db, namespace });
  });
}

/**
 * Resolves the caller's root. `subject` is what the call is about.
 *
 * @throws {ToolError} One text a case
 */
export async function resolveCallingRoot(
  context: ToolContext,
  subject: "Memory",
): Promise<CallingRoot> {
  const session = await resolveSession(context, subject);
  return await decideBy(
    context.services.catalog,
    (catalog) => findCallingRoot(session, catalog),
  );
}

async function resolveSession(
  { connection, services }: ToolContext,
  subject: "Root data" | "Memory",
  options: { readonly isAnew?: boolean } = {},
): Promise<CallingSession> {
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
  return { sessionId, rootKey };
}

function findCallingRoot(
  { sessionId, rootKey }: CallingSession,
  catalog: CatalogSnapshot,
): CallingRoot {
  const root = catalog.findRoot(rootKey);
  if (root !== undefined) return { sessionId, root, catalog };
  const skipped = leftOut(catalog, rootKey);
  throw new ToolError(
    `Agent root "${rootKey}" (session ${sessionId}) is not in the catalog, so its namespace is unknown; ${
      skipped === undefined
        ? "add it to the catalog or start a session of a root that is there"
        : `its entry is not used: ${skipped}`
    }${staleNote(catalog)}`,
  );
}

/** The root's namespace. @throws {ToolError} Where it may not be used. */
export function validNamespace(
  root: AgentRoot,
  catalog: CatalogSnapshot,
): string {
  const problem = namespaceProblem(root);
  if (problem === undefined) return root.namespace;
  throw new ToolError(
    `Agent root "${root.name}" resolves to the namespace ${problem}${
      staleNote(catalog)
    }`,
  );
}
