/**
 * Checks names that flags give against what there is.
 *
 * @module
 */
import { GROUP_NAMES, type Services } from "../mcp/mod.ts";
import { ConfigError } from "./config.ts";

/** The root of the catalog that a flag names. @throws {ConfigError} Unknown. */
export async function knownRoot(
  services: Services,
  name: string,
): Promise<string> {
  const catalog = await services.catalog.current();
  const root = catalog.findRoot(name);
  if (root !== undefined) return root.name;
  const names = [...catalog.roots.keys()].sort();
  throw new ConfigError([
    `Agent root "${name}" is not in the catalog ${catalog.source}; it has: ${
      names.slice(0, 20).join(", ") || "none"
    }${names.length > 20 ? `, and ${names.length - 20} more` : ""}`,
  ]);
}

/** Group names of a flag. @throws {ConfigError} Unknown names. */
export function knownGroups(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").map((part) => part.trim()).filter(Boolean);
  const unknown = names.filter((name) => !GROUP_NAMES.includes(name));
  if (unknown.length === 0 && names.length > 0) return names;
  throw new ConfigError([
    `--groups ${
      names.length === 0
        ? "names no group"
        : `has no group "${unknown.join('", "')}"`
    }; groups: ${GROUP_NAMES.join(", ")}`,
  ]);
}
