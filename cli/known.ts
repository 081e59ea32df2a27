/**
 * Checks names that flags give against what there is.
 *
 * @module
 */
import { groupsOfList } from "../fleet/mod.ts";
import { GROUP_NAMES } from "../mcp/mod.ts";

/** Groups of `--groups`. @throws {FleetRefusalError} None, or unknown ones. */
export function knownGroups(
  text: string | undefined,
): readonly string[] | undefined {
  return text === undefined
    ? undefined
    : groupsOfList(text, { known: GROUP_NAMES, what: "--groups" });
}
