/**
 * `quick_search_sessions`: finds sessions.
 *
 * @module
 */
import {
  findFor,
  MAX_QUERY_CHARACTERS,
  type SearchAnswer,
  searchFor,
} from "../../../fleet/mod.ts";
import type { ListedSession } from "../../../store/session_reads/mod.ts";
import {
  GENESES,
  SCHEDULING_CLASSES,
  SESSION_STATUSES,
} from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { cutText, isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { searchMarkdown } from "../../session_text/search.ts";
import { PAGE_INPUT, PER_PAGE_INPUT } from "../page.ts";
import { defineTool, Written } from "../tool.ts";

const DEFAULT_PER_PAGE = 25;

/** A session of a list, for programs. */
const LISTED = objectOf({
  id: COUNT,
  title: TEXT,
  status: wordOf(SESSION_STATUSES),
  agent_root: orNull(TEXT),
  updated_at: TIME,
});

/** What it answers for programs. */
const FOUND = objectOf({
  sessions: listOf(LISTED),
}, {
  total: { ...COUNT, description: "Hits on all pages" },
  total_is_floor: { ...FLAG, description: "There are more than total" },
  page: COUNT,
  per_page: COUNT,
  scan: objectOf({
    complete: FLAG,
    scanned: COUNT,
    candidates: COUNT,
    candidates_is_floor: FLAG,
  }, { scan_cursor: TEXT }),
});

/** The tool. */
export const quickSearchSessions = defineTool({
  name: "quick_search_sessions",
  title: "Search sessions",
  access: "read",
  description:
    'Finds sessions, newest first. query is one literal text, whatever its case: several words are a phrase; % and _ are themselves. It looks in title, metadata and custom_metadata (JSON as PostgreSQL spells it: "key": "value", spacing does not matter; search one pair, not two), never in the prompt. search_contents: true looks in transcripts too: a bounded scan that says whether it is complete and gives a scan_cursor to go on with; "scan incomplete" means not found yet, not that there is none. Archived sessions are left out unless show_archived is true or status names archived: to see whether work already has a session, pass show_archived: true, because a session that finished has archived itself. needs_input means at rest, not blocked. Rows are compact; verbose: true adds slug, category, repository, branch, prompt preview and MCP servers.',
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "One session by its id; the other filters are ignored",
    },
    query: {
      type: "string",
      maxLength: MAX_QUERY_CHARACTERS,
      description: "A literal text in title, metadata or custom_metadata",
    },
    search_contents: {
      type: "boolean",
      description: "true: look for query in transcripts, too",
    },
    scan_cursor: {
      type: "string",
      description:
        "Goes on where a scan stopped, with the same query and filters",
    },
    status: {
      type: "array",
      items: { type: "string", enum: SESSION_STATUSES },
      description: "One state or several; all but archived by default",
    },
    agent_runtime: {
      type: "string",
      maxLength: 100,
      description: "Only sessions that this agent runs",
    },
    priority_class: {
      type: "string",
      enum: SCHEDULING_CLASSES,
      description: "Only sessions of this effective class",
    },
    genesis: {
      type: "string",
      enum: GENESES,
      description: "Only sessions that this caused",
    },
    order: {
      type: "string",
      enum: ["created_desc", "precedence"],
      description:
        "created_desc (default), or precedence: the order of the spot queue",
    },
    visibility: {
      type: "string",
      enum: ["on_board", "off_board"],
      description:
        "Only sessions whose card is, or is not, on the people's board; leave it out for a duplicate check",
    },
    show_archived: {
      type: "boolean",
      description: "true: archived sessions, too",
    },
    page: PAGE_INPUT,
    per_page: {
      ...PER_PAGE_INPUT,
      description: `Rows of a page, ${DEFAULT_PER_PAGE} by default`,
    },
    verbose: { type: "boolean", description: "true: rows with all fields" },
  }),
  output: FOUND,
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const { page = 1, per_page: perPage = DEFAULT_PER_PAGE } = args;
    const isVerbose = args.verbose === true;
    if (args.id !== undefined) {
      await findFor(fleet, caller, { name: args.id, act: "reading it" });
    }
    const answer = await searchFor(
      fleet,
      caller,
      args.id === undefined
        ? {
          query: args.query,
          searchContents: args.search_contents,
          scanCursor: args.scan_cursor,
          statuses: args.status,
          showArchived: args.show_archived,
          agentRuntime: args.agent_runtime,
          priorityClass: args.priority_class,
          genesis: args.genesis,
          visibility: args.visibility,
          order: args.order ?? "created_desc",
          page,
          perPage,
        }
        : { id: args.id, order: "created_desc", page: 1, perPage: 1 },
    );
    const { markdown, titleCharacters } = searchMarkdown(answer, {
      page,
      perPage,
      isVerbose,
      query: args.query,
    });
    return new Written(
      markdown.text,
      foundShape(answer, { page, perPage, titleCharacters }),
    );
  },
});

function foundShape(
  answer: SearchAnswer,
  { page, perPage, titleCharacters }: {
    readonly page: number;
    readonly perPage: number;
    readonly titleCharacters: number;
  },
): ValueOf<typeof FOUND> {
  const shape = (one: ListedSession) => ({
    id: one.id,
    title: cutText(one.title, titleCharacters),
    status: one.status,
    agent_root: one.agentRootKey,
    updated_at: isoTime(one.updatedAt),
  });
  if (answer.kind === "page") {
    const { sessions, total, totalIsFloor } = answer.found;
    return {
      sessions: sessions.map(shape),
      total,
      total_is_floor: totalIsFloor,
      page,
      per_page: perPage,
    };
  }
  const { result } = answer;
  return {
    sessions: result.sessions.map(shape),
    scan: {
      complete: result.stopped === undefined,
      scanned: result.scanned,
      candidates: result.candidates,
      candidates_is_floor: result.candidatesIsFloor,
      ...(result.cursor === undefined ? {} : { scan_cursor: result.cursor }),
    },
  };
}
