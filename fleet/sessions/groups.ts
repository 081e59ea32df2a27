/**
 * Tool groups as callers name them.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { FleetRefusalError } from "../errors.ts";

/** What names of groups are checked against. */
export interface GroupList {
  /** All groups there are. */
  readonly known: readonly string[];
  /** The flag or argument that names them, for the message. */
  readonly what: string;
}

/** Groups of a comma list. @throws {FleetRefusalError} None, or unknown ones. */
export function groupsOfList(text: string, list: GroupList): readonly string[] {
  const names = text.split(",").map((name) => name.trim()).filter(Boolean);
  assertGroups(names, list);
  return names;
}

/** Refuses names that are no groups, and a list without any. */
export function assertGroups(
  names: readonly string[],
  { known, what }: GroupList,
): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0 && names.length > 0) return;
  throw new FleetRefusalError(
    "unknown_group",
    `${what} ${
      names.length === 0
        ? "names no group"
        : `has no group "${cutText(unknown.join('", "'), 200)}"`
    }; groups: ${known.join(", ")}`,
  );
}
