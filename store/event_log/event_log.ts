/**
 * The event log of the local CortexDB on PostgreSQL: what it stores survives
 * the process, and what it deletes is gone.
 *
 * A write is one statement. Deletions run in bounded batches, each a
 * transaction of its own; an erasure is a job whose row says what is left.
 *
 * @module
 */
import type {
  AppendOutcome,
  EmbeddedEvent,
  EventLog,
  LogCandidate,
  LogCandidateRequest,
  LogErasure,
  LogErasureRequest,
  LogEvent,
  LogExcerptRequest,
  LogForgetRequest,
  LogFrequencies,
  LogFrequencyRequest,
  LogListRequest,
  LogMember,
  LogNearest,
  LogNearRequest,
  LogPage,
  LogShare,
  NewLogEvent,
  NewScope,
  ScopeListRequest,
  ScopeRecord,
  UnindexedEvent,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { appendEvents, KEY_LIFETIME_HOURS } from "./append.ts";
import {
  countUnindexed,
  findOutdated,
  indexEvents,
  readUnindexed,
} from "./indexing.ts";
import {
  readCandidates,
  readExcerpts,
  readFrequencies,
  readSimilarTerms,
} from "./passages.ts";
import { listEvents, readEvents } from "./reads.ts";
import {
  findScope,
  listScopes,
  registerScope,
  replaceMembers,
} from "./scopes.ts";
import { fromWireId, rootOf, toWireId } from "./keys.ts";
import { countTerms } from "./term_counts.ts";
import {
  countUnembedded,
  findUnembedded,
  giveBack,
  openModel,
  putVectors,
  readNearest,
  takeUnembedded,
} from "./vectors.ts";

/** Events that one batch of a deletion deletes at most. */
export const DELETE_BATCH_EVENTS = 1_000;
/** How long one call works on an erasure, in milliseconds. */
export const ERASURE_SLICE_MS = 2_000;
/** Expired keys that one call removes at most. */
const PURGE_KEYS = 1_000;

/** Settings of a {@link PostgresEventLog}. */
export interface EventLogOptions {
  /** Events of one batch of a deletion. @default {DELETE_BATCH_EVENTS} */
  readonly batchEvents?: number;
  /** Expired keys that one call removes. @default {PURGE_KEYS} */
  readonly purgeKeys?: number;
  /** How long one call works on an erasure. @default {ERASURE_SLICE_MS} */
  readonly sliceMs?: number;
  /** Clock of that limit, in milliseconds. */
  readonly now?: () => number;
}

/** Events and scopes in PostgreSQL. Rejects with `StoreUnavailableError`. */
export class PostgresEventLog implements EventLog {
  readonly #open: () => Promise<Db>;
  readonly #batchEvents: number;
  readonly #purgeKeys: number;
  readonly #sliceMs: number;
  readonly #now: () => number;

  /** Takes the database, opened by the first call. */
  constructor(open: () => Promise<Db>, options: EventLogOptions = {}) {
    this.#open = open;
    this.#batchEvents = options.batchEvents ?? DELETE_BATCH_EVENTS;
    this.#purgeKeys = options.purgeKeys ?? PURGE_KEYS;
    this.#sliceMs = options.sliceMs ?? ERASURE_SLICE_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Stores all of the events, in order, or none. */
  async append(events: readonly NewLogEvent[]): Promise<AppendOutcome> {
    if (events.length === 0) return { ok: true, receipts: [] };
    return await appendEvents(await this.#open(), events);
  }

  /** One page of events, newest first. */
  async list(
    request: LogListRequest,
  ): Promise<LogPage> {
    return await listEvents(await this.#open(), request);
  }

  /** Those of the events that exist, in the order asked. */
  async read(
    ids: readonly string[],
    share: LogShare = {},
  ): Promise<readonly LogEvent[]> {
    return await readEvents(await this.#open(), ids, share);
  }

  /** How often terms are met. */
  async frequencies(request: LogFrequencyRequest): Promise<LogFrequencies> {
    return await readFrequencies(await this.#open(), request);
  }

  /** The passages that may fit best, by a rough measure, best first. */
  async candidates(
    request: LogCandidateRequest,
  ): Promise<readonly LogCandidate[]> {
    return await readCandidates(await this.#open(), request);
  }

  /** Terms of the scope's root that look like a word. */
  async similarTerms(
    scope: string,
    word: string,
  ): Promise<readonly string[]> {
    return await readSimilarTerms(await this.#open(), scope, word);
  }

  /** Passages of texts. */
  async excerpts(
    requests: readonly LogExcerptRequest[],
  ): Promise<readonly (string | undefined)[]> {
    return await readExcerpts(await this.#open(), requests);
  }

  /** Some events that are not indexed, of the scope's root or of any. */
  async readUnindexed(
    limit: number,
    scope?: string,
  ): Promise<readonly LogEvent[]> {
    return await readUnindexed(await this.#open(), limit, scope);
  }

  /** How many are not, up to a limit. */
  async countUnindexed(limit: number, scope?: string): Promise<number> {
    return await countUnindexed(await this.#open(), limit, scope);
  }

  /** Indexes events; those that are gone, or indexed by now, are left out. */
  async index(events: readonly UnindexedEvent[]): Promise<void> {
    await indexEvents(await this.#open(), events);
  }

  /** Looks for events of older analysers; whether more may be left. */
  async findOutdated(analyser: number): Promise<boolean> {
    return await findOutdated(await this.#open(), analyser);
  }

  /** Makes a model the one that passages get vectors of. */
  async openModel(model: string): Promise<void> {
    await openModel(await this.#open(), model);
  }

  /** Looks for events without vectors of the model; whether more may be left. */
  async findUnembedded(model: string): Promise<boolean> {
    return await findUnembedded(await this.#open(), model);
  }

  /** Takes some events that wait for vectors of the model. */
  async takeUnembedded(
    model: string,
    limit: number,
  ): Promise<readonly LogEvent[]> {
    return await takeUnembedded(await this.#open(), model, limit);
  }

  /** Gives back what was taken and has got no vectors. */
  async giveBack(
    events: readonly Pick<LogEvent, "scope" | "offset">[],
  ): Promise<void> {
    await giveBack(await this.#open(), events);
  }

  /** Stores vectors; of events that are gone, or have theirs by now, none. */
  async embed(model: string, events: readonly EmbeddedEvent[]): Promise<void> {
    await putVectors(await this.#open(), model, events);
  }

  /** How many events wait for vectors, up to a limit. */
  async countUnembedded(limit: number): Promise<number> {
    return await countUnembedded(await this.#open(), limit);
  }

  /** The passages whose vectors are nearest. */
  async nearest(request: LogNearRequest): Promise<LogNearest> {
    return await readNearest(await this.#open(), request);
  }

  /** Counts some terms ahead; whether more is left. */
  async countTerms(): Promise<boolean> {
    return await countTerms(await this.#open());
  }

  /** How many events a forget would delete. */
  async countForgettable(request: LogForgetRequest): Promise<number> {
    const db = await this.#open();
    const [row] = await db.read<Row>(
      `select count(*)::int as count from cortex_events e
       where e.root = $1 and e.scope = $2 and ${
        request.ids === undefined
          ? "$3::text[] is null"
          : "e.id = any ($3::text[]::uuid[])"
      } and e.recorded_at >= $4::text::timestamptz and e.recorded_at < $5::text::timestamptz`,
      [
        rootOf(request.scope),
        request.scope,
        uuidsOf(request.ids),
        ...periodOf(request),
      ],
    );
    return Number(row?.count);
  }

  /** Deletes events of one scope and releases their keys; how many. */
  async forget(request: LogForgetRequest): Promise<number> {
    const db = await this.#open();
    const upTo = await lastOffset(db, request.scope);
    const id = crypto.randomUUID();
    for (let total = 0;;) {
      const [row] = await db.write<Row>(
        `select cortex_forget($1, $2::text::uuid, $3, $4::text[]::uuid[],
           $5::text::timestamptz, $6::text::timestamptz, $7::bigint, $8, $9, $10) as deleted`,
        [
          rootOf(request.scope),
          id,
          request.scope,
          uuidsOf(request.ids),
          ...periodOf(request),
          upTo,
          this.#batchEvents,
          request.actor,
          request.note ?? null,
        ],
      );
      const deleted = Number(row?.deleted);
      total += deleted;
      // Ids are deleted in one batch: the caller bounds their number.
      if (request.ids !== undefined || deleted < this.#batchEvents) {
        return total;
      }
    }
  }

  /** Records an erasure and works on it for a short while. */
  async startErasure(
    request: LogErasureRequest,
  ): Promise<LogErasure> {
    const db = await this.#open();
    const { scope, actor, note } = request;
    const root = rootOf(scope);
    const id = crypto.randomUUID();
    await db.write(
      `insert into cortex_erasures (root, id, scope, actor, note, up_to)
       values ($1, $2::text::uuid, $3, $4, $5, $6::bigint)`,
      [root, id, scope, actor, note ?? null, await lastOffset(db, scope)],
    );
    return await this.#work(db, root, id);
  }

  /** Works on an erasure for a short while; undefined: there is none. */
  async advanceErasure(id: string): Promise<LogErasure | undefined> {
    const uuid = fromWireId("era", id);
    if (uuid === undefined) return undefined;
    const db = await this.#open();
    const [row] = await db.read<Row>(
      "select root from cortex_erasures where id = $1::text::uuid",
      [uuid],
    );
    if (row === undefined) return undefined;
    return await this.#work(db, String(row.root), uuid);
  }

  /**
   * Takes one step of the oldest unfinished erasure, and removes keys whose
   * time is over; whether any of either may be left.
   */
  async advanceErasures(): Promise<boolean> {
    const db = await this.#open();
    const purged = await db.write(
      `delete from cortex_keys where (root, key) in (
         select root, key from cortex_keys
         where written_at < now() - make_interval(hours => $1)
         order by written_at limit $2 for update skip locked) returning 1`,
      [KEY_LIFETIME_HOURS, this.#purgeKeys],
    );
    const isPurged = purged.length < this.#purgeKeys;
    const rows = await db.read<Row>(
      `select root, id from cortex_erasures where status = 'running'
       order by started_at limit 2`,
    );
    const [first] = rows;
    if (first === undefined) return !isPurged;
    const job = await this.#work(db, String(first.root), String(first.id), 0);
    return rows.length > 1 || job.status === "running" || !isPurged;
  }

  /** Registers a scope; undefined: it is registered already. */
  async registerScope(
    scope: NewScope,
  ): Promise<ScopeRecord | undefined> {
    return await registerScope(await this.#open(), scope);
  }

  /** A registered scope. */
  async findScope(path: string): Promise<ScopeRecord | undefined> {
    return await findScope(await this.#open(), path);
  }

  /** Replaces a scope's members; undefined: it is not registered. */
  async replaceMembers(
    path: string,
    members: readonly LogMember[],
  ): Promise<ScopeRecord | undefined> {
    return await replaceMembers(await this.#open(), path, members);
  }

  /** Registered scopes in the order of their paths. */
  async listScopes(query: ScopeListRequest): Promise<readonly ScopeRecord[]> {
    return await listScopes(await this.#open(), query);
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await (await this.#open()).read("select 1");
  }

  /** Takes steps until the erasure is done or the slice is over. */
  async #work(
    db: Db,
    root: string,
    id: string,
    sliceMs = this.#sliceMs,
  ): Promise<LogErasure> {
    const began = this.#now();
    for (;;) {
      const [row] = await db.write<Row>(
        `select id, scope, status, events_count
         from cortex_erase($1, $2::text::uuid, $3)`,
        [root, id, this.#batchEvents],
      );
      const job: LogErasure = {
        id: toWireId("era", row?.id),
        scope: String(row?.scope),
        status: row?.status === "completed" ? "completed" : "running",
        deleted: Number(row?.events_count),
      };
      if (job.status === "completed") return job;
      if (this.#now() - began >= sliceMs) return job;
    }
  }
}

/** Where the log ends: what is written later belongs to no deletion. */
async function lastOffset(db: Db, scope: string): Promise<string> {
  const [row] = await db.read<Row>(
    "select coalesce(max(seq), 0)::text as last from cortex_events where root = $1",
    [rootOf(scope)],
  );
  return String(row?.last);
}

function periodOf(request: LogForgetRequest): [string, string] {
  return [
    request.recordedFrom ?? "-infinity",
    request.recordedTo ?? "infinity",
  ];
}

function uuidsOf(ids: readonly string[] | undefined): string[] | null {
  if (ids === undefined) return null;
  return ids.map((id) => fromWireId("evt", id))
    .filter((one) => one !== undefined);
}
