/**
 * What a put and an append do before they write.
 *
 * @module
 */
import {
  type AgentRoot,
  type CollectionDeclaration,
  formatProblems,
} from "../../../catalog/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import {
  assertCollectionName,
  serializeData,
  type WriteRequest,
} from "../../../store/root_data/mod.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import { ToolError } from "../../errors.ts";
import type { ToolContext } from "../../services.ts";

/** A write that the catalog and the store's rules on data have passed. */
export interface PreparedWrite {
  /** The migrated database. */
  readonly db: Db;
  /** What to write, and where. */
  readonly request: WriteRequest;
}

/**
 * Readies a put or append: resolves the namespace, finds the declaration, checks
 * the data. Nothing is locked or written yet.
 *
 * @throws {ToolError} One text a case.
 */
export async function prepareWrite(
  context: ToolContext,
  { collection, data: given }: {
    readonly collection: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
): Promise<PreparedWrite> {
  const { db, sessionId, namespace, root, catalog } = await resolveRootData(
    context,
  );
  assertCollectionName(collection);
  const { retentionDays } = declarationOf(root, collection);
  const data = serializeData(given);
  const check = await catalog.checkData(root, collection, given);
  if (!check.ok) {
    throw new ToolError(
      `Data does not match the schema of "${collection}": ${
        formatProblems(check.problems, check)
      }`,
    );
  }
  const request = { namespace, collection, sessionId, data, retentionDays };
  return { db, request };
}

function declarationOf(
  root: AgentRoot,
  collection: string,
): CollectionDeclaration {
  const declaration = root.collections.get(collection);
  if (declaration !== undefined) return declaration;
  const names = [...root.collections.keys()].sort();
  throw new ToolError(
    `Collection "${collection}" is not declared by root "${root.name}"; ${
      names.length === 0 ? "it declares none" : `declared: ${names.join(", ")}`
    }. Add it to data_collections in the root's catalog entry to write to it`,
  );
}
