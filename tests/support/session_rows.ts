/**
 * Rows of sessions, of what they said and of what was said to them, past all
 * rules: for tests and benchmarks of what is read.
 *
 * @module
 */
import type { Db } from "../../store/pg/db.ts";
import { startSession } from "./sessions.ts";

/** A session with what a test wants of its row. */
export async function addSession(
  db: Db,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { session } = await startSession(db, {
    agentRootKey: "gardener",
    withToken: false,
  });
  const names = Object.keys(columns);
  if (names.length === 0) return session.id;
  await db.write(
    `update sessions set ${
      names.map((name, index) =>
        `${name} = $${index + 2}${
          JSON_COLUMNS.has(name) ? "::text::jsonb" : ""
        }`
      ).join(", ")
    } where id = $1`,
    [
      session.id,
      ...names.map((name) =>
        JSON_COLUMNS.has(name) ? JSON.stringify(columns[name]) : columns[name]
      ),
    ],
  );
  return session.id;
}

const JSON_COLUMNS = new Set(["metadata", "custom_metadata", "config"]);

/** One ended turn of a session with these texts as its events; its number. */
export async function addTranscript(
  db: Db,
  sessionId: number,
  texts: readonly string[],
): Promise<number> {
  const [turn] = await db.write<{ id: string }>(
    `insert into turns (session_id, ordinal, kind, phase, ended_at, next_seq)
     values ($1, (select coalesce(max(ordinal), 0) + 1 from turns where session_id = $1),
       'start', 'ended', now(), $2) returning id`,
    [sessionId, texts.length + 1],
  );
  await db.write(
    `insert into turn_events (turn_id, seq, session_id, kind, payload, text)
     select $1, n, $2, 'agent_message', jsonb_build_object('text', one), one
     from jsonb_array_elements_text($3::text::jsonb) with ordinality as said (one, n)`,
    [turn?.id, sessionId, JSON.stringify(texts)],
  );
  return Number(turn?.id);
}

/** Something a person said to a session. */
export async function addHumanMessage(
  db: Db,
  sessionId: number,
  content: string,
  minutesAgo = 0,
): Promise<void> {
  await db.write(
    `insert into human_messages (session_id, author, channel, content, occurred_at)
     values ($1, 'ann', 'web_ui', $2, now() - make_interval(mins => $3))`,
    [sessionId, content, minutesAgo],
  );
}

/** Sessions that one statement makes: a slow machine has its time limit, too. */
const FILLED_AT_ONCE = 5_000;

/** Many sessions, of several states, roots, runtimes and geneses. */
export async function fillSessions(db: Db, count: number): Promise<void> {
  for (let first = 1; first <= count; first += FILLED_AT_ONCE) {
    const last = Math.min(count, first + FILLED_AT_ONCE - 1);
    await db.write(
      `insert into sessions (agent_root_key, title, status, wait_reason, driven_by,
         agent_runtime, genesis, scheduling_class, precedence, prompt, custom_metadata,
         visibility, created_at, archived_at)
       select 'root-' || n % 20, 'Fix the ' || (array['login','search','board','queue','runner'])[1 + n % 5]
           || ' of part ' || n,
         state, case when state = 'waiting' then 'queued' end, 'runner',
         case when n % 997 = 0 then 'gemini' else 'claude_code' end,
         (array['api','slack','web_ui','schedule','github_issue'])[1 + n % 5],
         case when n % 7 = 0 then 'spot' end, n % 100 - 50,
         repeat('Please do the following thing. ', 1 + n % 30),
         jsonb_build_object('issue', 'https://github.com/acme/app/issues/' || n),
         case when n % 500 = 0 then 'hidden' else 'visible' end,
         now() - make_interval(secs => $1::int - n), case when state = 'archived' then now() end
       from (select n, case when n % 2 = 0 then 'archived' when n % 11 = 0 then 'running'
           when n % 5 = 0 then 'waiting' when n % 101 = 0 then 'failed' else 'needs_input' end as state
         from generate_series($2::int, $3::int) n) made`,
      [count, first, last],
    );
  }
  await db.write("analyze sessions");
}
