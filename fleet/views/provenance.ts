/**
 * Where a session comes from, and what people said in its family.
 *
 * The most important reading of the record is the empty one: that nobody spoke
 * must be told apart from that nobody was listening.
 *
 * @module
 */
import {
  type Family,
  type HumanRecord,
  readFamily,
  readHumanMessages,
} from "../../store/session_reads/mod.ts";
import {
  type ClassOverrides,
  readClassOverrides,
} from "../../store/sessions/mod.ts";
import type { Fleet } from "../fleet.ts";

/** Where people are listened to. */
export type HumanChannel = "web_ui" | "slack";

/** What is known of a family. */
export interface Provenance {
  /** The session that is asked about. */
  readonly sessionId: number;
  /** Its family. */
  readonly family: Family;
  /** What people said in it. */
  readonly record: HumanRecord;
  /** Channels on which nobody would have been heard, though people may speak. */
  readonly unheard: readonly HumanChannel[];
  /** Classes that an operator set. */
  readonly overrides: ClassOverrides;
}

/** Reads it. */
export async function readProvenance(
  { store, humanChannels = [] }: Pick<Fleet, "store" | "humanChannels">,
  sessionId: number,
): Promise<Provenance> {
  const db = await store.db();
  const [family, overrides] = await Promise.all([
    readFamily(db, sessionId),
    readClassOverrides(db),
  ]);
  const record = await readHumanMessages(
    db,
    sessionId,
    family.relatives.map(({ id }) => id),
  );
  // The pages are open to whoever has a key; Slack only where work came from it.
  const isFromSlack = family.relatives.some(({ genesis }) =>
    genesis === "slack"
  );
  const needed: readonly HumanChannel[] = isFromSlack
    ? ["web_ui", "slack"]
    : ["web_ui"];
  return {
    sessionId,
    family,
    record,
    unheard: needed.filter((channel) => !humanChannels.includes(channel)),
    overrides,
  };
}
