/**
 * What a search of sessions found, to be read.
 *
 * @module
 */
import type { SearchAnswer } from "../../fleet/mod.ts";
import type { ScanResult } from "../../store/session_reads/mod.ts";
import { Markdown } from "../markdown/document.ts";
import { code, grouped, Inline, md, preview } from "../markdown/inline.ts";
import { COMPACT_NOTE, compactRows, fullRows } from "./list.ts";

/** What was asked for, as far as the answer tells it. */
export interface SearchAsked {
  readonly page: number;
  readonly perPage: number;
  readonly isVerbose: boolean;
  readonly query: string | undefined;
}

/** An answer, and how long its titles may be. */
export interface SearchText {
  readonly markdown: Markdown;
  readonly titleCharacters: number;
}

/** The answer. */
export function searchMarkdown(
  answer: SearchAnswer,
  asked: SearchAsked,
): SearchText {
  const sessions = answer.kind === "page"
    ? answer.found.sessions
    : answer.result.sessions;
  const rows = asked.isVerbose
    ? {
      markdown: fullRows(sessions, answer.overrides),
      shown: sessions.length,
      titleCharacters: 100,
    }
    : compactRows(sessions, answer.overrides);
  const markdown = new Markdown().line(headOf(answer, asked));
  markdown.append(rows.markdown);
  if (rows.shown < sessions.length) {
    markdown.line(
      md`_Rows ${
        rows.shown + 1
      } to ${sessions.length} of this page did not fit: ask for the page with a smaller per_page._`,
    );
  }
  if (!asked.isVerbose && sessions.length > 0) {
    markdown.line(new Inline(COMPACT_NOTE));
  }
  if (answer.kind === "page") pageFooter(markdown, answer, asked);
  else scanFooter(markdown, answer);
  return { markdown, titleCharacters: rows.titleCharacters };
}

function headOf(
  answer: SearchAnswer,
  { page, perPage, query }: SearchAsked,
): Inline {
  const about = query === undefined || query === ""
    ? md``
    : md` for ${preview(query, 100)}`;
  if (answer.kind === "scan") {
    const { sessions, stopped } = answer.result;
    if (sessions.length > 0) {
      return md`Found ${sessions.length} session(s)${about}, newest first`;
    }
    return stopped === undefined
      ? md`No sessions found${about}: the scan is complete.`
      : md`No sessions found${about} so far: the scan is incomplete, so there may be some.`;
  }
  const { total, totalIsFloor } = answer.found;
  if (total === 0) {
    return md`No sessions found${about} with these filters; archived ones are left out unless show_archived is true or status names them.`;
  }
  const pages = Math.ceil(total / perPage);
  return totalIsFloor
    ? md`Found more than ${
      grouped(total)
    } session(s)${about} (page ${page}; they were counted up to ${
      grouped(total)
    })`
    : md`Found ${grouped(total)} session(s)${about} (page ${page} of ${pages})`;
}

function pageFooter(
  markdown: Markdown,
  { found }: Extract<SearchAnswer, { kind: "page" }>,
  { page, perPage }: SearchAsked,
): void {
  const { sessions, total, totalIsFloor } = found;
  const hasMore = totalIsFloor
    ? sessions.length === perPage
    : page * perPage < total;
  if (hasMore) markdown.line(md`_Next page: page: ${page + 1}_`);
  else if (sessions.length === 0 && total > 0) {
    markdown.line(
      md`_Page ${page} is behind the last one, ${Math.ceil(total / perPage)}._`,
    );
  }
}

const WHYS = {
  contents: md`transcripts were read, which no index does`,
  short_text:
    md`a text without three letters or digits in a row is found by reading every session`,
  no_index:
    md`this database has no index of texts (pg_trgm), so every session is read`,
} as const;

function scanFooter(
  markdown: Markdown,
  { result, why }: Extract<SearchAnswer, { kind: "scan" }>,
): void {
  if (result.cursorWasIgnored) {
    markdown.line(
      md`_The scan_cursor is not one that a scan gave, so the scan began with the newest session._`,
    );
  }
  const of = md`${grouped(result.scanned)} of ${
    result.candidatesIsFloor
      ? `more than ${grouped(result.candidates)}`
      : grouped(result.candidates)
  } candidate session(s)`;
  markdown.line(
    result.stopped === undefined
      ? md`_Scan complete: ${of} scanned; ${WHYS[why]}._`
      : md`_Scan incomplete: ${of} scanned; it stopped because ${
        reasonOf(result)
      }. Go on with scan_cursor: ${
        code(result.cursor ?? "")
      } and the same query and filters (${WHYS[why]})._`,
  );
}

function reasonOf({ stopped }: ScanResult): Inline {
  return stopped === "page_full"
    ? md`per_page hits were found`
    : md`its time was up; what was not scanned yet may hold more`;
}
