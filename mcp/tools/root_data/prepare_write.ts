/**
 * What a put and an append do before they write.
 *
 * @module
 */
import { formatProblems, staleNote } from "../../../catalog/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import {
  assertCollectionName,
  serializeData,
  type WriteRequest,
} from "../../../store/root_data/mod.ts";
import { decideByRoot } from "../../caller/calling_root.ts";
import { declarationOf } from "../../caller/declaration.ts";
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
  return await decideByRoot(context, async (calling) => {
    const { db, sessionId, namespace, root, catalog } = calling;
    assertCollectionName(collection);
    const { retentionDays } = declarationOf(calling, collection);
    const data = serializeData(given);
    const check = await catalog.checkData(root, collection, given);
    if (!check.ok) {
      throw new ToolError(
        `Data does not match the schema of "${collection}": ${
          formatProblems(check.problems, check)
        }${staleNote(catalog)}`,
      );
    }
    const request = { namespace, collection, sessionId, data, retentionDays };
    return { db, request };
  });
}
