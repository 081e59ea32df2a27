/**
 * Checks names that flags give against what there is.
 *
 * @module
 */
import {
  GROUP_NAMES,
  rootOfCatalog,
  type Services,
  ToolError,
} from "../mcp/mod.ts";
import { ConfigError } from "./settings/config.ts";

/** The root of the catalog that a flag names. @throws {ConfigError} Unknown. */
export async function knownRoot(
  services: Services,
  name: string,
): Promise<string> {
  const catalog = await services.catalog.current();
  try {
    return rootOfCatalog(catalog, name);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ConfigError([error.message]);
  }
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
