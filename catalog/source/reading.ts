/**
 * Reads all documents of a catalog: the source, and the index files it names.
 *
 * A catalog whose roots cannot be read is a failed reading, never an empty
 * catalog. An index file of another kind may fail without taking roots away.
 *
 * @module
 */

import {
  type IndexKind,
  type IndexReference,
  isAirFile,
  parseAirFile,
  refuseAirFile,
} from "../parse/air.ts";
import type { DocumentReading, Documents } from "./documents.ts";
import { type Duplicates, reportDuplicates } from "../parse/duplicates.ts";
import { type Exclusion, parseExclude } from "../parse/exclude.ts";
import { IgnoredList } from "../parse/ignored.ts";
import { isJsonObject, type JsonObject } from "../parse/json.ts";
import { describeLocation, type Location } from "./location.ts";

/** One document of a catalog, in the order they override each other. */
export interface CatalogPart {
  /** Kind of its entries. */
  readonly kind: IndexKind;
  /** Where it was read, for people. */
  readonly source: string;
  /** Its content; absent when it could not be read. */
  readonly document?: JsonObject;
  /** Names that stand twice in it. */
  readonly duplicates?: Duplicates;
  /** Why it could not be read. */
  readonly failure?: string;
}

/** All documents of one reading, or why there are none. */
export type CatalogReading =
  | {
    readonly ok: true;
    /** The document the source names. */
    readonly main: JsonObject;
    readonly parts: readonly CatalogPart[];
    /** What the AIR file names and is not read. */
    readonly ignored: IgnoredList;
    /** Entries that the AIR file excludes. */
    readonly excluded: readonly Exclusion[];
    /** Oldest time a part was read, in milliseconds. */
    readonly readAt: number;
    /** Why a part is an old copy. */
    readonly staleReason?: string;
    readonly decisive: readonly Location[];
  }
  | {
    readonly ok: false;
    readonly reason: string;
    /** Documents that say what the roots are: what to look at for a change. */
    readonly decisive: readonly Location[];
  };

/** A reading that may be shown. */
export type GoodReading = Extract<CatalogReading, { ok: true }>;

type ReadableLocation = Exclude<Location, { kind: "example" }>;

/** Reads the source and everything it names. */
export async function readCatalog(
  documents: Documents,
  location: ReadableLocation,
  options: { isOffline?: boolean } = {},
): Promise<CatalogReading> {
  const refuse = (document: JsonObject) =>
    isAirFile(document, location)
      ? refuseAirFile(document)
      : refuseEntries(document);
  const main = await documents.read(location, { ...options, refuse });
  if (!main.ok) return { ...main, decisive: [location] };
  const ignored = new IgnoredList();
  if (!isAirFile(main.document, location)) {
    const source = describeLocation(location);
    const { document, duplicates } = main;
    const part = { kind: "roots", source, document, duplicates } as const;
    documents.keepOnly([location]);
    const read = [{ part, reading: main }];
    return join(main, read, { ignored, excluded: [], decisive: [location] });
  }
  reportDuplicates(main.duplicates, describeLocation(location), ignored);
  const references = parseAirFile(main.document, location, ignored);
  const read = await Promise.all(references.map(async (reference) => {
    const reading = await readIndex(documents, reference, options);
    return { part: toPart(reference, reading), reading, reference };
  }));
  const excluded = parseExclude(
    main.document["exclude"],
    { source: describeLocation(location), path: ["exclude"] },
    ignored,
  );
  const decisive = [
    location,
    ...references.filter(({ kind }) => kind === "roots")
      .map((reference) => reference.location),
  ];
  const lost = read.find(({ part }) =>
    part.kind === "roots" && part.failure !== undefined
  );
  if (lost !== undefined) {
    return { ok: false, reason: `Index file ${lost.part.failure}`, decisive };
  }
  if (!read.some(({ part }) => part.kind === "roots") && ignored.total > 0) {
    const first = ignored.toArray("").find(({ pointer }) =>
      pointer.startsWith("/roots")
    );
    if (first !== undefined) {
      return {
        ok: false,
        reason:
          `No index file under "roots" can be read: ${first.pointer}: ${first.reason}`,
        decisive,
      };
    }
  }
  documents.keepOnly([location, ...references.map((item) => item.location)]);
  const present = read.filter(({ reading, reference }) =>
    reading.ok || !(reference.isOptional && reading.isMissing)
  );
  return join(main, present, { ignored, excluded, decisive });
}

async function readIndex(
  documents: Documents,
  reference: IndexReference,
  options: { isOffline?: boolean },
): Promise<DocumentReading> {
  const { location } = reference;
  if (location.kind === "example") {
    return { ok: false, reason: "It is built in", isMissing: true };
  }
  return await documents.read(location, { ...options, refuse: refuseEntries });
}

function toPart(
  { kind, location }: IndexReference,
  reading: DocumentReading,
): CatalogPart {
  const source = describeLocation(location);
  return reading.ok
    ? {
      kind,
      source,
      document: reading.document,
      duplicates: reading.duplicates,
    }
    : { kind, source, failure: `"${source}": ${reading.reason}` };
}

/** Joins the parts; the oldest one decides the age of the whole. */
function join(
  main: DocumentReading & { ok: true },
  read: readonly { part: CatalogPart; reading: DocumentReading }[],
  facts: Pick<GoodReading, "ignored" | "excluded" | "decisive">,
): CatalogReading {
  let { readAt, staleReason } = main;
  for (const { part, reading } of read) {
    if (!reading.ok) continue;
    readAt = Math.min(readAt, reading.readAt);
    if (reading !== main && reading.staleReason !== undefined) {
      staleReason ??= `Index file "${part.source}": ${reading.staleReason}`;
    }
  }
  return {
    ok: true,
    main: main.document,
    parts: read.map(({ part }) => part),
    ...facts,
    readAt,
    ...(staleReason === undefined ? {} : { staleReason }),
  };
}

/**
 * Why a document cannot be an index: it has members, and none is an entry. A
 * server that is out of order likes to answer with such a document.
 */
function refuseEntries(document: JsonObject): string | undefined {
  const members = Object.entries(document).filter(([name, value]) =>
    !(name.startsWith("$") && typeof value === "string")
  );
  const entries = members.filter(([, value]) => isJsonObject(value));
  if (members.length > 0 && entries.length === 0) {
    return "It has members, but none of them is an entry";
  }
  if (entries.length > 0 && entries.every(isErrorMember)) {
    return "It is an error message of a server, not an index";
  }
  return undefined;
}

/** `"error": {"code": 500, "message": "…"}`, as servers write it. */
function isErrorMember([name, value]: [string, unknown]): boolean {
  return /^errors?$/i.test(name) && isJsonObject(value) &&
    ("message" in value || "code" in value || "status" in value);
}
