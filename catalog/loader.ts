/**
 * Keeps the catalog: one snapshot in memory, renewed in the background.
 *
 * @module
 */
import example from "./example/roots.json" with { type: "json" };
import { CatalogUnavailableError } from "./errors.ts";
import { IgnoredList } from "./ignored.ts";
import { describeLocation, locateSource } from "./location.ts";
import { parseDocument, parseRoots } from "./parser.ts";
import { readSource } from "./sources.ts";
import type {
  CatalogLoader,
  CatalogOptions,
  CatalogSnapshot,
} from "./types.ts";

/** Opens a catalog. Nothing is read before the first call. */
export function openCatalog(options: CatalogOptions = {}): CatalogLoader {
  let snapshot: Promise<CatalogSnapshot> | undefined;
  const read = async (): Promise<CatalogSnapshot> => {
    const cwd = options.cwd ?? Deno.cwd();
    let source = options.source;
    if (source === undefined) {
      for (const name of ["air.json", "roots.json"]) {
        if (await Deno.stat(`${cwd}/${name}`).then(() => true, () => false)) {
          source = `${cwd}/${name}`;
          break;
        }
      }
    }
    const ignored = new IgnoredList();
    let document: Record<string, unknown> = example as never;
    let label = "built-in example";
    if (source !== undefined) {
      const at = locateSource(source, cwd);
      if (at.kind === "unreadable" || at.kind === "example") {
        throw new CatalogUnavailableError(source, {
          reason: "bad",
          since: new Date(),
        });
      }
      label = describeLocation(at);
      const got = await readSource(at, {
        fetch: options.fetch ?? fetch,
        signal: new AbortController().signal,
      });
      if (got.kind !== "content") {
        throw new CatalogUnavailableError(label, {
          reason: got.kind === "failed" ? got.reason : "?",
          since: new Date(),
        });
      }
      const parsed = parseDocument(got.text);
      if (!parsed.ok) {
        throw new CatalogUnavailableError(label, {
          reason: parsed.reason,
          since: new Date(),
        });
      }
      document = parsed.document;
    }
    const roots = parseRoots(document, label, ignored);
    const aliases: Record<string, string> = {
      "zimmer-router": "zimmer-orchestrator",
      ...options.aliases,
    };
    let checker: Promise<import("./collections.ts").SchemaChecker> | undefined;
    return {
      source: label,
      readAt: new Date(),
      stale: false,
      isExample: source === undefined,
      ignored: ignored.toArray(label),
      ignoredTotal: ignored.total,
      roots,
      artifacts: () => ({ entries: new Map() }),
      findRoot: (key) => roots.get(aliases[key] ?? key),
      checkData: async (root, collection, data) => {
        checker ??= import("./collections.ts").then((m) =>
          new m.SchemaChecker()
        );
        return (await checker).check(root, collection, data);
      },
    };
  };
  return {
    current: () =>
      snapshot ??= read().catch((e) => {
        snapshot = undefined;
        throw e;
      }),
    refresh: () => snapshot = read(),
    status: () => {
      throw new Error("later");
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
