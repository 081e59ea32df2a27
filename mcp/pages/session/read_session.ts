/**
 * Reads all that the page of a session shows beside its transcript.
 *
 * @module
 */
import {
  FleetRefusalError,
  type PriceTable,
  readCosts,
  readSessionView,
  readTurnCosts,
  type SessionView,
} from "../../../fleet/mod.ts";
import {
  type Elicitation,
  listElicitations,
} from "../../../store/around_sessions/mod.ts";
import {
  type BoardCategory,
  type ListedTurn,
  listTurns,
  readCategories,
} from "../../../store/board/mod.ts";
import {
  findSession,
  listMessages,
  type QueuedMessage,
} from "../../../store/sessions/mod.ts";
import { fleetOf } from "../../fleet.ts";
import { pricesOf } from "../../prices.ts";
import type { Services } from "../../services.ts";

/** What the page shows. */
export interface SessionReading extends SessionView {
  /** Its queue, in its order. */
  readonly messages: readonly QueuedMessage[];
  /** Its latest turns, newest first. */
  readonly turns: readonly ListedTurn[];
  /** Its open questions, and the latest others, newest first. */
  readonly questions: readonly Elicitation[];
  /** Categories that there are. */
  readonly categories: readonly BoardCategory[];
  /** What it cost at list prices in US dollars; undefined where nobody knows. */
  readonly usd: number | undefined;
  /** The same of its turns, by their number. */
  readonly turnUsd: ReadonlyMap<number, number>;
}

/** Messages of a queue that the page shows. */
export const MAX_MESSAGES = 50;
/** Characters of each that it shows. */
export const MESSAGE_CHARACTERS = 10_000;
/** Turns that it lists. */
export const MAX_TURNS = 30;
const MAX_QUESTIONS = 20;
const COST_DAYS = 365;

/** Reads it; undefined where there is no such session. */
export async function readSession(
  services: Services,
  id: number,
): Promise<SessionReading | undefined> {
  const db = await services.store.db();
  const session = await findSession(db, id);
  if (session === undefined) return undefined;
  const { table } = await pricesOf(services);
  const [view, messages, turns, questions, categories, usd, turnUsd] =
    await Promise.all([
      readSessionView(fleetOf(services), session),
      listMessages(db, id, {
        limit: MAX_MESSAGES,
        characters: MESSAGE_CHARACTERS,
      }),
      listTurns(db, id, { limit: MAX_TURNS }),
      listElicitations(db, { sessionId: id }, {
        limit: MAX_QUESTIONS,
        offset: 0,
      }),
      readCategories(db),
      costOf(services, id, table),
      readTurnCosts(services, { sessionId: id, turns: MAX_TURNS }, table),
    ]);
  return { ...view, messages, turns, questions, categories, usd, turnUsd };
}

async function costOf(
  services: Services,
  sessionId: number,
  table: PriceTable,
): Promise<number | undefined> {
  try {
    const { report } = await readCosts(
      services,
      { sessionId, days: COST_DAYS },
      table,
    );
    return report.total.requests === 0 ? undefined : report.total.totalUsd;
  } catch (error) {
    if (error instanceof FleetRefusalError) return undefined;
    throw error;
  }
}
