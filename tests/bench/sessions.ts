/**
 * Finding a session among many, and reading one that said much: what the tools
 * take, in this process, beside a statement that reads nothing.
 *
 * @module
 */
import { readSessionView, searchFor, UNRESTRICTED } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { sessionMarkdown } from "../../mcp/session_text/session.ts";
import { transcriptSection } from "../../mcp/session_text/transcript.ts";
import { findSession } from "../../store/sessions/mod.ts";
import { openEndpoint } from "../support/endpoint.ts";
import {
  addSession,
  addTranscript,
  fillSessions,
} from "../support/session_rows.ts";
import {
  type Bench,
  type Benchmark,
  type Part,
  type Row,
  toRow,
} from "./benchmark.ts";

const SEARCH_BAR_MS = 20;
const READ_BAR_MS = 30;
const PAGE = { order: "created_desc", page: 1, perPage: 25 } as const;

/** Questions that people and agents ask, and how they are called. */
const QUESTIONS = {
  "newest 25": {},
  "one state": { statuses: ["failed"] },
  "runtime of few": { agentRuntime: "gemini" },
  "class of few, by precedence": {
    priorityClass: "spot",
    order: "precedence",
  },
  "off the board": { visibility: "off_board" },
  "text that one has": { query: "issues/4242", showArchived: true },
  "text that none has": { query: "nothing like it", showArchived: true },
} as const satisfies Readonly<Record<string, Record<string, unknown>>>;

/** The benchmark. */
export const sessions: Benchmark = {
  name: "sessions",
  summary:
    "search among 100,000 sessions, get_session with 10,000 transcript events",
  async run(bench) {
    const stage = await bench.stage();
    const { db, target } = stage;
    await using endpoint = await openEndpoint({
      test: { db, target, [Symbol.asyncDispose]: () => Promise.resolve() },
    });
    const fleet = fleetOf(endpoint.services);
    const count = bench.pick(100_000, 500);
    const events = bench.pick(10_000, 50);
    bench.note(`filling ${count} sessions`);
    await fillSessions(db, count);
    await db.write("vacuum sessions");
    const talker = await addSession(db, { title: "talker" });
    await addTranscript(
      db,
      talker,
      Array.from({ length: events }, (_, index) => `said ${index}`),
    );
    await db.write("vacuum analyze turn_events");
    const floor = await timed(bench, "select 1", () => db.read("select 1"));
    const searches: Row[] = [];
    for (const [label, question] of Object.entries(QUESTIONS)) {
      searches.push(
        await timed(
          bench,
          label,
          () => searchFor(fleet, UNRESTRICTED, { ...PAGE, ...question }),
        ),
      );
    }
    const read = await timed(bench, "get_session", async () => {
      const session = await findSession(db, talker);
      if (session === undefined) throw new Error("The talker is gone");
      const view = await readSessionView(fleet, session);
      return sessionMarkdown(view, { isVerbose: false });
    });
    const whole = await timed(
      bench,
      "its newest events",
      () =>
        transcriptSection(db, talker, {
          total: events,
          format: "text",
          before: undefined,
        }),
    );
    return [
      partOf(`search among ${count} sessions`, [floor, ...searches], {
        label: "slowest p50 of a search",
        value: Math.max(...searches.map(({ p50 }) => p50)),
        atMost: SEARCH_BAR_MS,
      }),
      partOf(`get_session with ${events} events`, [floor, read, whole], {
        label: "p50 of get_session",
        value: read.p50,
        atMost: READ_BAR_MS,
      }),
    ];
  },
};

async function timed(
  bench: Bench,
  label: string,
  work: () => Promise<unknown>,
): Promise<Row> {
  const times: number[] = [];
  // The first calls prepare statements and fill caches.
  const warm = bench.pick(5, 1);
  for (let round = -warm; round < bench.pick(100, 3); round++) {
    const began = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - began);
  }
  return toRow(label, times);
}

function partOf(
  title: string,
  rows: readonly Row[],
  { label, value, atMost }: {
    readonly label: string;
    readonly value: number;
    readonly atMost: number;
  },
): Part {
  const [floor] = rows;
  return {
    title,
    rows,
    figures: [
      { label, value, unit: "ms", bar: { atMost } },
      {
        label: `${label} over select 1`,
        value: value / (floor?.p50 ?? 1),
        unit: "×",
      },
    ],
  };
}
