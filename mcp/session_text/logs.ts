/**
 * The log of a session and what its subagents said, to be read by pages.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import { readLogs, readSubagents } from "../../store/session_reads/mod.ts";
import { Markdown } from "../markdown/document.ts";
import { grouped, type Inline, md, preview } from "../markdown/inline.ts";
import { second } from "./state.ts";

/** Characters of a line of the log. */
const LINE_CHARACTERS = 2_000;
/** Characters of what all subagents of a page said. */
const SUBAGENTS_CHARACTERS = 100_000;

/** A page that is asked for, of so many. */
export interface PageAsked {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** A page of the log, newest first. */
export async function logsSection(
  db: Db,
  id: number,
  asked: PageAsked,
): Promise<Markdown> {
  const { page, perPage } = asked;
  const lines = await readLogs(db, id, {
    limit: perPage,
    offset: (page - 1) * perPage,
  });
  const markdown = new Markdown().heading(3, md`Logs`)
    .line(pageLine(lines.length, asked, "line(s)", "logs_page"));
  for (const { level, content, createdAt } of lines) {
    markdown.item(
      md`${second(createdAt)} **${level}** ${
        preview(content, LINE_CHARACTERS)
      }`,
    );
  }
  return markdown;
}

/** A page of subagents. */
export async function subagentsSection(
  db: Db,
  id: number,
  asked: PageAsked,
): Promise<Markdown> {
  const { page, perPage } = asked;
  const markdown = new Markdown().heading(3, md`Subagent Transcripts`);
  if (asked.total === 0) {
    return markdown.line(
      md`None: its agent started no subagents, or its stream does not show them.`,
    );
  }
  const limit = Math.floor(SUBAGENTS_CHARACTERS / perPage);
  const found = await readSubagents(db, id, {
    limit: perPage,
    offset: (page - 1) * perPage,
    characters: limit,
  });
  markdown.line(
    pageLine(found.length, asked, "subagent(s)", "transcripts_page"),
  );
  for (const one of found) {
    markdown.item(
      md`**${one.agentId}** ${one.type ?? ""} ${one.status ?? ""}: ${
        one.description ?? "no description"
      } (${one.messages} messages, ${one.toolCalls} tool calls)`,
    );
    if (one.transcript !== "") markdown.quote(one.transcript, 1);
    if (one.characters > limit) {
      markdown.item(
        md`(cut: ${grouped(limit)} of ${
          grouped(one.characters)
        } characters; a smaller transcripts_per_page shows more of each)`,
        1,
      );
    }
  }
  return markdown;
}

function pageLine(
  shown: number,
  { page, perPage, total }: PageAsked,
  what: string,
  argument: string,
): Inline {
  const pages = Math.max(1, Math.ceil(total / perPage));
  return md`${shown} of ${grouped(total)} ${what}, page ${page} of ${pages}${
    page < pages ? `; the next: ${argument}: ${page + 1}` : ""
  }`;
}
