/**
 * AIR files: one document that names the index files of a catalog by kind.
 *
 * @module
 */

import { type IgnoredList, within } from "./ignored.ts";
import {
  describeValue,
  isAbsent,
  isJsonObject,
  type JsonObject,
} from "./json.ts";
import {
  describeLocation,
  locate,
  type Location,
  locationName,
} from "../source/location.ts";
import type { ArtifactKind } from "../types.ts";

/** Kinds of entries an AIR file names index files for. */
export type IndexKind = "roots" | ArtifactKind;

/** Every kind, in the order they are listed. */
export const INDEX_KINDS: readonly IndexKind[] = [
  "roots",
  "mcp",
  "skills",
  "hooks",
  "plugins",
  "references",
  "goals",
];

/** Most index files one AIR file may name. */
export const MAX_INDEX_FILES = 100;

/** One index file an AIR file names. */
export interface IndexReference {
  /** Kind of its entries. */
  readonly kind: IndexKind;
  /** Where it is. */
  readonly location: Location;
  /** Path to the reference inside the AIR file. */
  readonly path: readonly (string | number)[];
  /** It was not named, only looked for beside the AIR file. */
  readonly isOptional?: boolean;
}

/**
 * Whether a document is an AIR file rather than a roots file. What it says of
 * itself decides, then its name, then its shape: a roots file may well hold a
 * root called "mcp", even a damaged one.
 */
export function isAirFile(document: JsonObject, location: Location): boolean {
  const schema = document["$schema"];
  if (typeof schema === "string") {
    if (/\bair\.schema\.json\b/.test(schema)) return true;
    if (/\broots\.schema\.json\b/.test(schema)) return false;
  }
  const name = locationName(location);
  if (name === "air.json") return true;
  if (name === "roots.json") return false;
  const values = Object.values(document);
  return !values.some(isJsonObject) &&
    INDEX_KINDS.some((kind) => isListOfText(document[kind]));
}

/** Why an AIR file cannot serve as a catalog, or undefined. */
export function refuseAirFile(document: JsonObject): string | undefined {
  if (!isAbsent(document["roots"])) return undefined;
  const hint = isAbsent(document["catalogs"])
    ? ""
    : `; folders under "catalogs" are not searched, so name the files, such as "roots": ["./roots/roots.json"]`;
  return `It is an AIR file that names no index file under "roots"${hint}`;
}

/** Lists the index files an AIR file names; the rest is reported. */
export function parseAirFile(
  document: JsonObject,
  location: Location,
  ignored: IgnoredList,
): readonly IndexReference[] {
  const references: IndexReference[] = [];
  const top = { source: describeLocation(location), path: [] };
  for (const kind of INDEX_KINDS) {
    const place = within(top, kind);
    const value = document[kind];
    if (isAbsent(value)) continue;
    if (!Array.isArray(value) && typeof value !== "string") {
      const got = describeValue(value);
      ignored.add(place, `Ignored: expected a list of files, got ${got}`);
      continue;
    }
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    items.forEach((item, index) => {
      const here = Array.isArray(value) ? within(place, index) : place;
      const target = typeof item === "string"
        ? locate(item, location)
        : unusable(item);
      if (target.kind === "unreadable") {
        ignored.add(here, `Index file skipped: ${target.reason}`);
      } else if (references.length >= MAX_INDEX_FILES) {
        const reason = `more than ${MAX_INDEX_FILES} index files`;
        ignored.add(here, `Index file skipped: ${reason}`);
      } else {
        references.push({ kind, location: target, path: here.path });
      }
    });
  }
  const { catalogs } = document;
  if (!isAbsent(catalogs) && !(Array.isArray(catalogs) && !catalogs.length)) {
    ignored.add(
      within(top, "catalogs"),
      `Ignored: folders are not searched for index files; name the files by kind, such as "roots": ["./roots/roots.json"]`,
    );
  }
  const goals = findGoals(document, location);
  return goals === undefined ? references : [...references, goals];
}

/** Goals are kept beside the AIR file by custom, without being named in it. */
function findGoals(
  document: JsonObject,
  location: Location,
): IndexReference | undefined {
  if (!isAbsent(document["goals"]) || location.kind !== "file") {
    return undefined;
  }
  const beside = locate("./goals.json", location);
  if (beside.kind === "unreadable") return undefined;
  return { kind: "goals", location: beside, path: [], isOptional: true };
}

function unusable(item: unknown): { kind: "unreadable"; reason: string } {
  const reason = `expected a path or URL, got ${describeValue(item)}`;
  return { kind: "unreadable", reason };
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 &&
    value.every((item) => typeof item === "string");
}
