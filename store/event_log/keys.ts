/**
 * What rows of the event log are found by: the root of a path, and the uuid of
 * an id as the wire has it.
 *
 * @module
 */

/** First segment of a path: what the tables are distributed by. */
export function rootOf(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash);
}

/** A uuid as wire id: `evt_`, `era_` or `fgt_` and its hex digits. */
export function toWireId(kind: string, uuid: unknown): string {
  return `${kind}_${String(uuid).replaceAll("-", "")}`;
}

/** The uuid of a wire id; undefined when the text is none. */
export function fromWireId(kind: string, id: string): string | undefined {
  const hex = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : "";
  return /^[0-9a-f]{32}$/.test(hex) ? hex : undefined;
}
