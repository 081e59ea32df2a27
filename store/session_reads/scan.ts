/**
 * Looking for a text where no index helps: in what sessions said, and for texts
 * that the index of titles cannot find.
 *
 * Sessions are taken newest first, a few at a time, until a page is full or the
 * time is up; the place where it stopped is a cursor. Long transcripts are read
 * in parts, so that a scan gets on however little time it has, and the place in
 * one is part of the cursor.
 *
 * @module
 */
import type { Db, Queryable, Row } from "../pg/db.ts";
import { StoreUnavailableError } from "../errors.ts";
import {
  conditionsOf,
  patternsOf,
  type SessionSearch,
  Statement,
  textCondition,
} from "./filter.ts";
import { LISTED_COLUMNS, type ListedSession, toListed } from "./listed.ts";
import {
  encodeScanCursor,
  readScanCursor,
  type ScanPlace,
} from "./scan_cursor.ts";

/** Sessions that are looked at in one statement. */
const SESSIONS_AT_ONCE = 50;
/** Transcript events that are looked at in one statement. */
const EVENTS_AT_ONCE = 500;
/** Candidates that are counted at most. */
const MAX_CANDIDATES = 10_000;
/** A statement is given this long at least, in milliseconds. */
const LEAST_STATEMENT_MS = 250;

/** What a scan looks for, and how far it goes. */
export interface ScanRequest {
  /** The text, whatever its case. */
  readonly text: string;
  /** Whether transcripts are read, beside titles and metadata. */
  readonly inContents: boolean;
  /** Hits at which it stops. */
  readonly limit: number;
  /** Time after which it stops, in milliseconds; at 0 nothing is read. */
  readonly budgetMs: number;
  /** Where an earlier scan stopped; one that no scan gave is left aside. */
  readonly cursor?: string | undefined;
}

/** What a scan found, and how far it came. */
export interface ScanResult {
  /** Hits, newest first. */
  readonly sessions: readonly ListedSession[];
  /** Sessions that were looked at to the end. */
  readonly scanned: number;
  /** Sessions that there were to look at. */
  readonly candidates: number;
  /** Whether there are more than that. */
  readonly candidatesIsFloor: boolean;
  /** Why it stopped before the end; undefined where it did not. */
  readonly stopped: "page_full" | "time_is_up" | undefined;
  /** Where to go on. */
  readonly cursor: string | undefined;
  /** Whether the cursor that was passed is none. */
  readonly cursorWasIgnored: boolean;
}

/** A session to look at. */
interface Candidate {
  readonly id: number;
  readonly place: string;
  /** Whether title or metadata hold the text. */
  readonly isHit: boolean;
  /** Events of its transcript. */
  readonly events: number;
}

/** Scans. */
export async function scanSessions(
  db: Db,
  search: SessionSearch,
  request: ScanRequest,
): Promise<ScanResult> {
  const until = performance.now() + request.budgetMs;
  const from = readScanCursor(request.cursor);
  const candidates = await countCandidates(db, search, from);
  const scan = new Scan(db, search, request, { from, until });
  const stopped = await scan.run();
  return {
    sessions: await readHits(db, scan.hits),
    scanned: scan.scanned,
    candidates: Math.min(candidates, MAX_CANDIDATES),
    candidatesIsFloor: candidates > MAX_CANDIDATES,
    stopped,
    cursor: stopped === undefined ? undefined : scan.cursor,
    cursorWasIgnored: request.cursor !== undefined && from === undefined,
  };
}

/** One scan under way. */
class Scan {
  readonly #db: Db;
  readonly #search: SessionSearch;
  readonly #request: ScanRequest;
  readonly #until: number;
  #place: ScanPlace | undefined;
  /** Statements that looked at texts. */
  #steps = 0;
  /** Numbers of hits, in the order in which they were found. */
  readonly hits: number[] = [];
  /** Sessions that were looked at to the end. */
  scanned = 0;

  constructor(
    db: Db,
    search: SessionSearch,
    request: ScanRequest,
    { from, until }: { from: ScanPlace | undefined; until: number },
  ) {
    this.#db = db;
    this.#search = search;
    this.#request = request;
    this.#until = until;
    this.#place = from;
  }

  /** Where it stands. */
  get cursor(): string {
    return encodeScanCursor(this.#place);
  }

  /** Runs to the end, to a full page, or until the time is up. */
  async run(): Promise<ScanResult["stopped"]> {
    for (;;) {
      if (this.#isLate()) return "time_is_up";
      const candidates = await readCandidates(
        this.#db,
        this.#search,
        this.#request,
        this.#place,
      );
      if (candidates.length === 0) return undefined;
      const stopped = await this.#look(candidates);
      if (stopped !== undefined) return stopped;
    }
  }

  /** Looks at candidates, as many at once as their transcripts allow. */
  async #look(
    candidates: readonly Candidate[],
  ): Promise<ScanResult["stopped"]> {
    let rest = candidates;
    // Their titles were read with them.
    if (!this.#request.inContents) this.#steps++;
    while (rest.length > 0) {
      if (this.#isLate()) return "time_is_up";
      const together = fewTogether(rest);
      const [first] = together;
      if (first === undefined) return undefined;
      if (together.length === 1 && needsParts(first, this.#request)) {
        if (!await this.#readThrough(first)) return "time_is_up";
      } else if (!await this.#lookAt(together)) {
        return this.hits.length >= this.#request.limit
          ? "page_full"
          : "time_is_up";
      }
      rest = rest.slice(together.length);
      if (this.hits.length >= this.#request.limit) return "page_full";
    }
    return undefined;
  }

  /** Whether all of these could be taken. */
  async #lookAt(candidates: readonly Candidate[]): Promise<boolean> {
    const open = this.#request.inContents
      ? candidates.filter(({ isHit, events }) => !isHit && events > 0)
      : [];
    const said = open.length === 0
      ? new Set<number>()
      : await this.#within(() =>
        speakersOf(
          this.#db,
          open.map(({ id }) => id),
          this.#request.text,
          this.#leftMs(),
        )
      );
    if (said === undefined) return false;
    for (const one of candidates) {
      if (this.hits.length >= this.#request.limit) return false;
      this.#take(one, one.isHit || said.has(one.id));
    }
    return true;
  }

  /** Reads one long transcript in parts; false when the time was up before. */
  async #readThrough(one: Candidate): Promise<boolean> {
    let at = this.#place?.within?.place === one.place
      ? this.#place.within.event
      : undefined;
    for (;;) {
      const part = await this.#within(() =>
        readPart(this.#db, one.id, {
          text: this.#request.text,
          at,
          limitMs: this.#leftMs(),
        })
      );
      if (part === undefined) return false;
      if (part.isHit || part.last === undefined) {
        this.#take(one, part.isHit);
        return true;
      }
      at = part.last;
      this.#place = {
        ...this.#place,
        within: { place: one.place, event: at },
      };
      if (this.#isLate()) return false;
    }
  }

  #take(one: Candidate, isHit: boolean): void {
    if (isHit) this.hits.push(one.id);
    this.#place = { after: one.place };
    this.scanned++;
  }

  /** With any time at all it makes one step, so that it ends some time. */
  #isLate(): boolean {
    if (this.#request.budgetMs <= 0) return true;
    return this.#steps > 0 && performance.now() >= this.#until;
  }

  #leftMs(): number {
    return Math.max(
      LEAST_STATEMENT_MS,
      Math.ceil(this.#until - performance.now()),
    );
  }

  /** The answer, or undefined where it did not come in time. */
  async #within<T>(read: () => Promise<T>): Promise<T | undefined> {
    this.#steps++;
    try {
      return await read();
    } catch (error) {
      if (error instanceof StoreUnavailableError && error.code === "timeout") {
        return undefined;
      }
      throw error;
    }
  }
}

/** Whether a transcript is too long for one statement. */
function needsParts(
  { isHit, events }: Candidate,
  { inContents }: ScanRequest,
): boolean {
  return inContents && !isHit && events > EVENTS_AT_ONCE;
}

/** The first candidates, as many as one statement may read; one at least. */
function fewTogether(candidates: readonly Candidate[]): readonly Candidate[] {
  let events = 0;
  const end = candidates.findIndex((one, index) => {
    events += one.isHit ? 0 : one.events;
    return index > 0 && events > EVENTS_AT_ONCE;
  });
  return end < 0 ? candidates : candidates.slice(0, end);
}

const PLACE =
  `to_char(s.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/' || s.id`;

/** Behind which place, as a condition; places are times with numbers. */
function behind(from: ScanPlace | undefined, statement: Statement): string {
  const [at, id] = from?.after?.split("/") ?? [];
  return at === undefined || id === undefined
    ? "true"
    : `(s.created_at, s.id) < (${statement.add(at)}::text::timestamptz, ${
      statement.add(id)
    }::text::bigint)`;
}

async function countCandidates(
  db: Queryable,
  search: SessionSearch,
  from: ScanPlace | undefined,
): Promise<number> {
  const statement = new Statement();
  const [row] = await db.read<{ total: number }>(
    `select count(*)::int as total from (select 1 from sessions s
       where ${conditionsOf(search, statement)} and ${behind(from, statement)}
       limit ${MAX_CANDIDATES + 1}) candidates`,
    statement.params,
  );
  return row?.total ?? 0;
}

async function readCandidates(
  db: Queryable,
  search: SessionSearch,
  { text }: ScanRequest,
  from: ScanPlace | undefined,
): Promise<readonly Candidate[]> {
  const statement = new Statement();
  const rows = await db.read<Row>(
    `select s.id, ${PLACE} as place,
       (${textCondition(text, statement)}) as is_hit,
       (select coalesce(sum(t.next_seq - 1), 0) from turns t
        where t.session_id = s.id and t.kind <> 'summary') as events
     from sessions s
     where ${conditionsOf(search, statement)} and ${behind(from, statement)}
     order by s.created_at desc, s.id desc limit ${SESSIONS_AT_ONCE}`,
    statement.params,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    place: String(row.place),
    isHit: row.is_hit === true,
    events: Number(row.events),
  }));
}

/** Which of these sessions said it. */
async function speakersOf(
  db: Db,
  ids: readonly number[],
  text: string,
  limitMs: number,
): Promise<ReadonlySet<number>> {
  const rows = await db.read<{ id: string }>(
    `select id from (select value::bigint as id
       from jsonb_array_elements_text($1::text::jsonb)) s
     where exists (select 1 from turn_events e
       where e.session_id = s.id and lower(e.text) like any (${
      lowered("$2")
    }))`,
    [JSON.stringify(ids), patternsOf(text)],
    { limitMs },
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Whether a part of a transcript has it, and the part's last event. */
async function readPart(
  db: Db,
  sessionId: number,
  { text, at, limitMs }: {
    readonly text: string;
    readonly at: string | undefined;
    readonly limitMs: number;
  },
): Promise<{ readonly isHit: boolean; readonly last: string | undefined }> {
  const [turn = "0", seq = "0"] = at?.split("/") ?? [];
  const [row] = await db.read<Row>(
    `select coalesce(bool_or(lower(part.text) like any (${
      lowered("$4")
    })), false) as is_hit,
       max(array[turn_id, seq]) as last, count(*)::int as events
     from (select turn_id, seq, text from turn_events
       where session_id = $1 and (turn_id, seq) > ($2::text::bigint, $3::text::bigint)
       order by turn_id, seq limit ${EVENTS_AT_ONCE}) part`,
    [sessionId, turn, seq, patternsOf(text)],
    { limitMs },
  );
  const last = row?.last as readonly string[] | null | undefined;
  const isLastPart = Number(row?.events ?? 0) < EVENTS_AT_ONCE;
  return {
    isHit: row?.is_hit === true,
    last: isLastPart || !last ? undefined : last.join("/"),
  };
}

async function readHits(
  db: Queryable,
  ids: readonly number[],
): Promise<readonly ListedSession[]> {
  if (ids.length === 0) return [];
  const rows = await db.read<Row>(
    `select ${LISTED_COLUMNS} from sessions s
     where s.id = any (array(select jsonb_array_elements_text($1::text::jsonb)::bigint))
     order by s.created_at desc, s.id desc`,
    [JSON.stringify(ids)],
  );
  return rows.map(toListed);
}

/** The patterns of a JSON list, all in lower case. */
function lowered(list: string): string {
  return `array(select lower(value) from jsonb_array_elements_text(${list}::text::jsonb))`;
}
