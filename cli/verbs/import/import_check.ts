/**
 * Whether the catalog allows a record of an import: some root that has the
 * namespace must declare the collection, and the data match its schema.
 *
 * Several roots may share a namespace, each with schemas of its own; what one
 * of them may write is allowed.
 *
 * @module
 */
import {
  type AgentRoot,
  type CatalogSnapshot,
  DeclarationError,
  formatProblems,
} from "../../../catalog/mod.ts";
import type { ImportRecord } from "../../../store/transfer/mod.ts";

/** Says why a record is not allowed; undefined when it is. */
export type DeclarationCheck = (
  record: Pick<ImportRecord, "namespace" | "collection" | "data">,
) => Promise<string | undefined>;

/** Builds the check for a catalog. */
export function declarationCheck(
  catalog: CatalogSnapshot,
  takesUndeclared: boolean,
): DeclarationCheck {
  const owners = Map.groupBy(
    [...catalog.roots.values()].filter((root) => root.namespaceIsValid),
    (root) => root.namespace,
  );
  return async ({ namespace, collection, data }) => {
    const roots = owners.get(namespace) ?? [];
    const declaring = roots.filter((root) => root.collections.has(collection));
    if (declaring.length === 0) {
      return takesUndeclared ? undefined : undeclared(
        namespace,
        collection,
        roots,
      );
    }
    const reasons: string[] = [];
    for (const root of declaring) {
      const reason = await mismatch(catalog, root, collection, data);
      if (reason === undefined) return undefined;
      reasons.push(reason);
    }
    return reasons.join("; ");
  };
}

function undeclared(
  namespace: string,
  collection: string,
  roots: readonly AgentRoot[],
): string {
  const what = roots.length === 0
    ? `No root of the catalog has the namespace "${namespace}"`
    : `Collection "${collection}" is not declared by ${
      roots.map((root) => `"${root.name}"`).join(", ")
    }`;
  return `${what}; --undeclared imports it all the same`;
}

async function mismatch(
  catalog: CatalogSnapshot,
  root: AgentRoot,
  collection: string,
  data: unknown,
): Promise<string | undefined> {
  try {
    const verdict = await catalog.checkData(root, collection, data);
    if (verdict.ok) return undefined;
    return `Data does not match the schema of "${collection}" of root "${root.name}": ${
      formatProblems(verdict.problems, verdict)
    }`;
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    return error.message;
  }
}
