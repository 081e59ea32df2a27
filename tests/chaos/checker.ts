/**
 * Looks for lies, all the time: a session that is said to run and does not, one
 * that works and is said to rest, two turns at once.
 *
 * @module
 */
import { callHttp } from "../soak/callers.ts";
import type { Db } from "../../store/pg/mod.ts";

/** What is looked at. */
export interface Looked {
  /** Looks past the servers. */
  readonly db: Db;
  /** Where servers listen. */
  readonly urls: readonly string[];
  /** A key of theirs. */
  readonly key: string;
  /** Sessions that are known to be there. */
  readonly ids: () => readonly number[];
  /** States that one may be told to be in. @default {none but the usual three} */
  readonly states?: (id: number) => readonly string[];
}

/** A look that goes on until it is stopped. */
export interface Checker {
  /** How often it looked and got an answer. */
  readonly looks: number;
  /** Stops it. */
  stop(): Promise<void>;
}

/** By one statement, so that it is of one moment. */
const LIES =
  `select s.id, s.status, array_agg(t.phase) filter (where t.phase is not null) as phases,
    (select count(*)::int from enqueued_messages m
      where m.session_id = s.id and m.status = 'processing') as processing
  from sessions s left join turns t on t.session_id = s.id
    and t.phase in ('leased', 'spawned', 'delivered')
  where s.id in (select id from sessions where status = 'running'
    union select session_id from turns where phase in ('leased', 'spawned', 'delivered')
    union select session_id from enqueued_messages where status = 'processing')
  group by s.id
  having (s.status = 'running') <> (count(t.id) = 1) or count(t.id) > 1
    or (count(t.id) = 0 and (select count(*) from enqueued_messages m
      where m.session_id = s.id and m.status = 'processing') > 0
      and not exists (select from turns r where r.session_id = s.id
        and r.phase = 'queued'))`;

/** States that a session may be told to be in that nobody archives. */
const STATES = ["waiting", "running", "needs_input"];
const PAUSE_MS = 100;

/** Begins to look. */
export function watchForLies(
  { db, urls, key, ids, states = () => STATES }: Looked,
  tell: (lie: string) => void,
): Checker {
  let isStopped = false;
  let looks = 0;
  const work = (async () => {
    for (let n = 0; !isStopped; n++) {
      for (const row of await db.read(LIES).catch(() => [])) {
        tell(
          `Session ${row.id} is ${row.status} with turns ${
            JSON.stringify(row.phases)
          } and ${row.processing} messages in delivery`,
        );
      }
      const known = ids();
      const id = known[Math.floor(Math.random() * known.length)];
      const url = urls[n % urls.length];
      if (id !== undefined && url !== undefined) {
        const before = states(id);
        const told = await ask(url, id, key);
        if (told !== undefined) {
          looks++;
          // It may have been archived meanwhile.
          const lie = lieOf(told, [...before, ...states(id)]);
          if (lie !== undefined) tell(`get_session of ${id}: ${lie}`);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    get looks() {
      return looks;
    },
    async stop() {
      isStopped = true;
      await work;
    },
  };
}

interface Told {
  /** Undefined: it is said not to be there. */
  readonly status: string | undefined;
  readonly text: string;
}

function lieOf(
  { status, text }: Told,
  states: readonly string[],
): string | undefined {
  if (status === undefined || !states.includes(status)) {
    return `it is ${status}: ${text.slice(0, 1_500)}`;
  }
  if (status === "running" && !/runner/i.test(text)) {
    return "it is running, and no runner is named";
  }
  return undefined;
}

/** What `get_session` says; undefined where the server cannot answer now. */
async function ask(
  url: string,
  id: number,
  key: string,
): Promise<Told | undefined> {
  const answer = await callHttp(url, key, {
    tool: "get_session",
    args: { id: String(id) },
    groups: "sessions",
  });
  if (answer.kind === "done") {
    return { status: answer.data.status, text: answer.text };
  }
  return answer.kind === "surprise"
    ? { status: undefined, text: answer.text }
    : undefined;
}
