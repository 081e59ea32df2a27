/**
 * Searching sessions: by an index where there is one, else by a bounded scan
 * that says how far it came.
 *
 * @module
 */
import {
  type FoundSessions,
  hasTextIndex,
  type ScanResult,
  scanSessions,
  searchSessions,
  type SessionOrder,
  type SessionSearch,
} from "../../store/session_reads/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import {
  type ClassOverrides,
  type Genesis,
  readClassOverrides,
  type SchedulingClass,
  type SessionStatus,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { genesesOf } from "../spot/classes.ts";
import { keysWithin } from "./find.ts";

/** How long a scan may take, in milliseconds. */
export const SCAN_BUDGET_MS = 2_000;
/** Characters of a text that is looked for at most. */
export const MAX_QUERY_CHARACTERS = 1_000;

/** What is looked for. */
export interface SearchRequest {
  /** One session and no other. */
  readonly id?: number | undefined;
  /** One text, whatever its case, in title and metadata. */
  readonly query?: string | undefined;
  /** Also in what was said. */
  readonly searchContents?: boolean | undefined;
  /** Where an earlier scan stopped. */
  readonly scanCursor?: string | undefined;
  /** States; without any: all but archived. */
  readonly statuses?: readonly SessionStatus[] | undefined;
  /** Archived ones too. */
  readonly showArchived?: boolean | undefined;
  /** The agent that runs it. */
  readonly agentRuntime?: string | undefined;
  /** Its effective class. */
  readonly priorityClass?: SchedulingClass | undefined;
  /** What caused it. */
  readonly genesis?: Genesis | undefined;
  /** Whether its card is on the board. */
  readonly visibility?: "on_board" | "off_board" | undefined;
  /** How hits stand. */
  readonly order: SessionOrder;
  /** Which page, from 1. */
  readonly page: number;
  /** Hits of a page. */
  readonly perPage: number;
}

/** What was found. */
export type SearchAnswer =
  & { readonly overrides: ClassOverrides }
  & (
    | { readonly kind: "page"; readonly found: FoundSessions }
    | {
      readonly kind: "scan";
      readonly result: ScanResult;
      /** Why it was scanned: it was asked for, or no index can find it. */
      readonly why: "contents" | "short_text" | "no_index";
    }
  );

/** An index of texts finds three letters or digits in a row, and not less. */
const INDEXED_REGEXP = /[\p{L}\p{N}]{3}/u;

/** Searches. @throws {FleetRefusalError} A query that is too long. */
export async function searchFor(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: Pick<FleetCaller, "fence" | "sessionId">,
  request: SearchRequest,
  { budgetMs = SCAN_BUDGET_MS }: { readonly budgetMs?: number } = {},
): Promise<SearchAnswer> {
  const { query = "", page, perPage } = request;
  assertQuery(query);
  const db = await fleet.store.db();
  const overrides = await readClassOverrides(db);
  const search = await searchOf(fleet, caller, request, overrides);
  const why = await reasonToScan(db, query, request.searchContents === true);
  if (why !== undefined) {
    const result = await scanSessions(db, search, {
      text: query,
      inContents: why === "contents",
      limit: perPage,
      budgetMs,
      cursor: request.scanCursor,
    });
    return { kind: "scan", result, why, overrides };
  }
  const found = await searchSessions(db, search, {
    ...(query === "" ? {} : { text: query }),
    order: request.order,
    limit: perPage,
    offset: (page - 1) * perPage,
  });
  return { kind: "page", found, overrides };
}

function assertQuery(query: string): void {
  const characters = [...query].length;
  if (characters > MAX_QUERY_CHARACTERS) {
    throw new FleetRefusalError(
      "bad_argument",
      `query is ${characters} characters; the limit is ${MAX_QUERY_CHARACTERS}`,
    );
  }
  if (query.includes("\u0000") || !query.isWellFormed()) {
    throw new FleetRefusalError(
      "bad_argument",
      "The query holds the NUL character or half of a character, which no session has",
    );
  }
}

async function searchOf(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: Pick<FleetCaller, "fence" | "sessionId">,
  request: SearchRequest,
  overrides: ClassOverrides,
): Promise<SessionSearch> {
  const { id, statuses, priorityClass: name, visibility } = request;
  if (id !== undefined) return { id, includeArchived: true };
  const rootKeys = await keysWithin(fleet, caller);
  return {
    statuses: statuses === undefined || statuses.length === 0
      ? undefined
      : [...new Set(statuses)],
    includeArchived: request.showArchived,
    agentRuntime: request.agentRuntime,
    genesis: request.genesis,
    schedulingClass: name === undefined
      ? undefined
      : { name, geneses: genesesOf(name, overrides) },
    isOnBoard: visibility === undefined ? undefined : visibility === "on_board",
    fence: rootKeys === undefined
      ? undefined
      : { rootKeys, sessionId: caller.sessionId },
  };
}

async function reasonToScan(
  db: Db,
  query: string,
  inContents: boolean,
): Promise<"contents" | "short_text" | "no_index" | undefined> {
  if (query === "") return undefined;
  if (inContents) return "contents";
  if (!INDEXED_REGEXP.test(query)) return "short_text";
  return await hasTextIndex(db) ? undefined : "no_index";
}
