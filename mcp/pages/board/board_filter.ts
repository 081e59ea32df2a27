/**
 * Which sessions a board shows, as its address says.
 *
 * @module
 */
import type { BoardFilter } from "../../../store/board/mod.ts";
import {
  SESSION_STATUSES,
  type SessionStatus,
} from "../../../store/sessions/mod.ts";
import { given, type Query } from "../query.ts";

/** Characters of a text that is looked for at most. */
const MAX_TEXT = 1_000;

/** A filter with the parameters that name it. */
export interface AskedFilter {
  /** The filter. */
  readonly filter: BoardFilter;
  /** Its parameters. */
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Reads it; what makes no sense is not asked for. */
export function boardFilterOf(query: Query): AskedFilter {
  const text = storable(given(query.q));
  const status = SESSION_STATUSES.find((one) => one === query.status);
  const agentRootKey = storable(given(query.root));
  const agentRuntime = storable(given(query.runtime));
  const isFavorited = query.favorites === "1" ? true : undefined;
  const isOffBoard = query.away === "1" ? true : undefined;
  return {
    filter: {
      text,
      status: status as SessionStatus | undefined,
      agentRootKey,
      agentRuntime,
      isFavorited,
      isOffBoard,
    },
    query: {
      q: text,
      status,
      root: agentRootKey,
      runtime: agentRuntime,
      favorites: isFavorited && "1",
      away: isOffBoard && "1",
    },
  };
}

/** A text as the database can hold it, and no longer than any it looks for. */
function storable(text: string | undefined): string | undefined {
  return text?.replaceAll("\u0000", "").toWellFormed().slice(0, MAX_TEXT);
}
