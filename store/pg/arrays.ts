/**
 * Arrays of texts, bigints and UUIDs, as PostgreSQL writes and reads them.
 *
 * The driver would look these types up on each new connection, and lets a fault
 * of that lookup go uncaught, which ends the process.
 *
 * @module
 */

/** Object ids of `text[]`, `bigint[]` and `uuid[]`; fixed in every PostgreSQL. */
const ARRAY_OIDS = { texts: 1009, bigints: 1016, uuids: 2951 } as const;

/** One element: quoted with escapes, or plain up to the next comma. */
const ELEMENT_REGEXP = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs;

/** What the driver needs to know about arrays; elements stay texts. */
export const ARRAY_TYPES = {
  texts: {
    to: ARRAY_OIDS.texts,
    from: [ARRAY_OIDS.texts, ARRAY_OIDS.bigints],
    serialize: writeArray,
    parse: readArray,
  },
  // Jobs are told apart by them.
  uuids: {
    to: ARRAY_OIDS.uuids,
    from: [ARRAY_OIDS.uuids],
    serialize: writeArray,
    parse: readArray,
  },
};

/** The array literal of texts. */
export function writeArray(items: readonly string[]): string {
  const quoted = items.map((item) => `"${item.replace(/["\\]/g, "\\$&")}"`);
  return `{${quoted.join(",")}}`;
}

/** The elements of an array of one dimension. */
export function readArray(literal: string): (string | null)[] {
  return [...literal.slice(1, -1).matchAll(ELEMENT_REGEXP)]
    .map(([, quoted, plain]) =>
      quoted !== undefined
        ? quoted.replace(/\\(.)/gs, "$1")
        : plain === "NULL"
        ? null
        : String(plain)
    );
}
