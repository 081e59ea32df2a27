/**
 * `exclude` of an AIR file: entries that are not to be used, by kind.
 *
 * An entry is named `@scope/id`, where `*` stands for part of a segment. All
 * that is read here has the scope `local`.
 *
 * @module
 */

import { INDEX_KINDS, type IndexKind } from "./air.ts";
import { type IgnoredList, type Place, within } from "./ignored.ts";
import { describeValue, isAbsent, isJsonObject } from "./json.ts";

const LOCAL_SCOPE = "@local/";
const NAME_REGEXP = /^@[^/]+\/.+$/s;

/** Entries that are not used. */
export interface Exclusion {
  /** Kinds it applies to. */
  readonly kinds: readonly IndexKind[];
  /** Where it stands. */
  readonly place: Place;
  /** Whether it names an entry. */
  matches(name: string): boolean;
}

/** Reads `exclude`: lists by kind, or one list that applies to every kind. */
export function parseExclude(
  value: unknown,
  place: Place,
  ignored: IgnoredList,
): readonly Exclusion[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value)) {
    return parseNames(value, { kinds: INDEX_KINDS, place, ignored });
  }
  if (!isJsonObject(value)) {
    const got = describeValue(value);
    ignored.add(place, `Excludes nothing: expected lists by kind, got ${got}`);
    return [];
  }
  return Object.entries(value).flatMap(([name, names]) => {
    const here = within(place, name);
    const kind = INDEX_KINDS.find((one) => one === name);
    if (kind !== undefined && Array.isArray(names)) {
      return parseNames(names, { kinds: [kind], place: here, ignored });
    }
    ignored.add(
      here,
      kind === undefined
        ? `Excludes nothing: expected one of ${INDEX_KINDS.join(", ")}`
        : `Excludes nothing: expected a list, got ${describeValue(names)}`,
    );
    return [];
  });
}

function parseNames(
  names: readonly unknown[],
  { kinds, place, ignored }: {
    kinds: readonly IndexKind[];
    place: Place;
    ignored: IgnoredList;
  },
): Exclusion[] {
  return names.flatMap((name, index) => {
    const here = within(place, index);
    if (typeof name === "string" && NAME_REGEXP.test(name)) {
      const matches = (entry: string) => isLike(name, LOCAL_SCOPE + entry);
      return [{ kinds, place: here, matches }];
    }
    ignored.add(
      here,
      `Excludes nothing: expected "@local/name", got ${describeValue(name)}`,
    );
    return [];
  });
}

/** Segment by segment, so that a star spans none of their ends. */
function isLike(pattern: string, name: string): boolean {
  const patterns = pattern.split("/");
  const segments = name.split("/");
  return patterns.length === segments.length &&
    patterns.every((one, index) => isSegmentLike(one, segments[index] ?? ""));
}

/** Takes each part between stars at its first place, from left to right. */
function isSegmentLike(pattern: string, segment: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === segment;
  if (!segment.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    // A star stands for one character at least.
    const found = segment.indexOf(part, at + 1);
    if (found === -1) return false;
    at = found + part.length;
  }
  return segment.endsWith(tail) && segment.length - tail.length > at;
}
