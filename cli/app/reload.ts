/**
 * SIGHUP: the catalog is read again at once.
 *
 * @module
 */
import type { CatalogLoader, CatalogSnapshot } from "../../catalog/mod.ts";
import type { Log } from "../../mcp/mod.ts";

/** Reads the catalog again at each SIGHUP, until disposed of. */
export function reloadOnHangUp(catalog: CatalogLoader, log: Log): Disposable {
  if (Deno.build.os === "windows") return { [Symbol.dispose]: () => {} };
  const listener = () => void reloadCatalog(catalog, log);
  Deno.addSignalListener("SIGHUP", listener);
  return {
    [Symbol.dispose]: () => Deno.removeSignalListener("SIGHUP", listener),
  };
}

/** Reads the catalog and logs what came of it. Never rejects. */
export async function reloadCatalog(
  catalog: CatalogLoader,
  log: Log,
): Promise<void> {
  try {
    const snapshot = await readNow(catalog);
    const { source, stale, staleReason, roots, ignoredTotal } = snapshot;
    if (stale) {
      log.warn("catalog_not_reloaded", { source, reason: staleReason });
    } else {
      log.info("catalog_reloaded", {
        source,
        roots: roots.size,
        ignored: ignoredTotal,
      });
    }
  } catch (error) {
    log.warn("catalog_not_reloaded", { error });
  }
}

async function readNow(catalog: CatalogLoader): Promise<CatalogSnapshot> {
  const asked = Date.now();
  const reading = catalog.refresh();
  const { lastAttemptAt } = catalog.status();
  const snapshot = await reading;
  // One that was under way may have looked before the change was made.
  const isOlder = lastAttemptAt !== undefined &&
    lastAttemptAt.getTime() < asked;
  return isOlder ? await catalog.refresh() : snapshot;
}
