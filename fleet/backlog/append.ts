/**
 * Adds work to the backlog, whoever hands it in. Where it stands in line is
 * decided here, from its cost alone.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import {
  type AddedVia,
  type BacklogItem,
  type Cost,
  insertItem,
  listItems,
  lockQueue,
  moveItems,
  queuedItems,
  type ScopeDirection,
  unpinnedSlots,
} from "../../store/backlog/mod.ts";
import { assertStorable, type Transaction } from "../../store/pg/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { isDay } from "../gate/entry.ts";
import { BANDS, placeIn, type Placement } from "./bands.ts";

/** An item as it is handed in. */
export interface ItemRequest {
  /** Its name, 1 to 200 characters: `web#498`. */
  readonly key: string;
  /** The issue, an address; only a person may leave it out. */
  readonly issueUrl?: string | undefined;
  /** `owner/name`. */
  readonly repo: string;
  /** What its gate rated, at most 200 characters. */
  readonly surface: string;
  /** The issue's title, at most 1,000 characters. */
  readonly title: string;
  /** What kind of work, at most 100 characters. */
  readonly kind: string;
  /** Whether it closes or opens. */
  readonly scopeDirection: ScopeDirection;
  /** How much work it is thought to be. */
  readonly estimatedCost: Cost;
  /** What the gate said of each of its axes. */
  readonly ratings?: Readonly<Record<string, unknown>> | undefined;
  /** What the gate said, at most 200 characters. */
  readonly gateVerdict?: string | undefined;
  /** Address of the gate's session. */
  readonly gateSession?: string | undefined;
  /** The day, ISO 8601. @default {today} */
  readonly decidedAt?: string | undefined;
  /** A line about it. */
  readonly notes?: string | undefined;
  /** What a session is told where there is no issue, or beside it. */
  readonly prompt?: string | undefined;
}

/** Who hands an item in. */
export interface ItemWriter {
  /** The way. */
  readonly via: AddedVia;
  /** Who it is. */
  readonly by: string;
  /** The session that the connection names. */
  readonly sessionId: number | null;
}

/** What became of it. */
export interface AppendedItem {
  /** Whether it was added; otherwise one of that name is in line already. */
  readonly isNew: boolean;
  /** The item in line. */
  readonly item: BacklogItem;
  /** Its place in the whole queue, from 1. */
  readonly position: number;
  /** Whether others of its band were spread to make room. */
  readonly isRespaced: boolean;
}

const MAX_PAYLOAD_BYTES = 64 * 1024;
const REPO_REGEXP = /^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/;

/**
 * Adds an item; one of the same name that is in line stands for it.
 *
 * @throws {FleetRefusalError} A rule says no; nothing was added.
 */
export async function appendItem(
  { store }: Pick<Fleet, "store">,
  request: ItemRequest,
  writer: ItemWriter,
): Promise<AppendedItem> {
  const checked = checkedItem(request);
  const db = await store.db();
  return await db.transaction(async (tx) => {
    await lockQueue(tx);
    const [known] = await queuedItems(tx, [checked.key]);
    if (known !== undefined) {
      const position = await positionOf(tx, known.id);
      return { isNew: false, item: known, position, isRespaced: false };
    }
    const { precedence, moves } = await makeRoom(tx, checked.estimatedCost);
    const item = await insertItem(tx, {
      ...checked,
      precedence,
      addedBy: writer.by,
      addedVia: writer.via,
      writingSessionId: writer.sessionId,
    });
    const position = await positionOf(tx, item.id);
    return { isNew: true, item, position, isRespaced: moves.length > 0 };
  });
}

/**
 * Finds the place of a new item in the band of its cost, and moves what has to
 * move. The caller holds the queue's lock.
 *
 * @throws {FleetRefusalError} The band is full; nothing was moved.
 */
export async function makeRoom(
  tx: Transaction,
  cost: Cost,
): Promise<Placement> {
  const band = BANDS[cost];
  const slots = await unpinnedSlots(tx, cost, [band.floor, band.ceiling]);
  const placement = placeIn(band, slots);
  if (placement === undefined) {
    throw new FleetRefusalError(
      "wrong_state",
      `The band of ${cost} work (${band.floor} to ${band.ceiling}) is full: ${slots.length} items leave no place above its floor, and none goes into the band below. Start or remove some first; nothing was changed`,
    );
  }
  await moveItems(tx, placement.moves);
  return placement;
}

/** The place of a queued item, from 1. */
export async function positionOf(
  tx: Transaction,
  id: number,
): Promise<number> {
  const { items } = await listItems(tx, { id, limit: 1, offset: 0 });
  return items[0]?.position ?? 0;
}

function checkedItem(request: ItemRequest) {
  const text = (name: keyof ItemRequest & string, most: number) => {
    const value = trimmed(request[name]);
    if (value === undefined) throw bad(`${nameOf(name)} is empty`);
    return within(nameOf(name), value, most);
  };
  const optional = (name: keyof ItemRequest & string, most: number) => {
    const value = trimmed(request[name]);
    return value === undefined ? null : within(nameOf(name), value, most);
  };
  const repo = text("repo", 300);
  if (!REPO_REGEXP.test(repo)) {
    throw bad(`repo is "${cutText(repo, 100)}"; write it as owner/name`);
  }
  const issueUrl = optional("issueUrl", 2_048);
  if (issueUrl !== null && !isWebAddress(issueUrl)) {
    throw bad("issue_url is no address that begins with https:// or http://");
  }
  const decidedAt = optional("decidedAt", 40);
  if (decidedAt !== null && !isDay(decidedAt)) {
    throw bad(
      `decided_at is "${decidedAt}", which is no day of the calendar; write it as 2026-08-31`,
    );
  }
  const prompt = optional("prompt", MAX_PAYLOAD_BYTES);
  if (issueUrl === null && prompt === null) {
    throw bad(
      "issue_url is empty, and an item without an issue needs a prompt",
    );
  }
  const payload = payloadOf({
    ratings: request.ratings,
    gate_session: optional("gateSession", 2_048),
    notes: optional("notes", MAX_PAYLOAD_BYTES),
    prompt,
  });
  return {
    key: text("key", 200),
    issueUrl,
    repo,
    surface: text("surface", 200),
    title: text("title", 1_000),
    kind: text("kind", 100),
    scopeDirection: request.scopeDirection,
    estimatedCost: request.estimatedCost,
    gateVerdict: optional("gateVerdict", 200),
    decidedAt,
    payload,
  };
}

function payloadOf(
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const payload = Object.fromEntries(
    Object.entries(members).filter(([, value]) =>
      value !== undefined && value !== null
    ),
  );
  const { length } = new TextEncoder().encode(JSON.stringify(payload));
  if (length > MAX_PAYLOAD_BYTES) {
    throw new FleetRefusalError(
      "data_too_large",
      `What is said of an item (ratings, notes, gate_session, prompt) is JSON of 64 KB at most; this has ${length} bytes, and the limit is ${MAX_PAYLOAD_BYTES}. Nothing was added`,
    );
  }
  assertStorable(payload, "the item");
  return payload;
}

function trimmed(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

function within(name: string, text: string, most: number): string {
  const { length } = [...text];
  if (length > most) {
    throw bad(`${name} has ${length} characters, and the most is ${most}`);
  }
  assertStorable(text, name);
  return text;
}

function isWebAddress(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && !/\s/.test(text);
}

/** The name of an argument on the wire. */
function nameOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function bad(what: string): FleetRefusalError {
  return new FleetRefusalError(
    "bad_argument",
    `${what}. Nothing was added`,
  );
}
