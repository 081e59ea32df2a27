/**
 * Sessions of a list, short enough that a full page is a page that arrives.
 *
 * @module
 */
import type { ListedSession } from "../../store/session_reads/mod.ts";
import type { ClassOverrides } from "../../store/sessions/mod.ts";
import { classOf } from "../../fleet/mod.ts";
import { withoutCredentials } from "../log.ts";
import { Markdown } from "../markdown/document.ts";
import { grouped, Inline, joined, md, preview } from "../markdown/inline.ts";
import { reasonLine, second } from "./state.ts";

/** Characters of an answer at most. */
export const MAX_ANSWER_CHARACTERS = 25_000;
/** What heading and footer of a list take at most. */
const AROUND_CHARACTERS = 2_200;
/** Characters of titles: as many as there is room for. */
const TITLE_LIMITS = [100, 60, 40, 20] as const;

/** What a compact row leaves out, and how it is had. */
export const COMPACT_NOTE =
  "_Compact rows leave out six fields: slug, category, repository, branch, prompt preview, MCP servers. verbose: true shows them in the list, get_session shows one session in full._";

/** Rows as they fit. */
export interface FittedRows {
  /** The rows. */
  readonly markdown: Markdown;
  /** How many of them are shown: the first ones. */
  readonly shown: number;
  /** Characters of a title at most. */
  readonly titleCharacters: number;
}

/** Compact rows that fit; titles are cut before a row is left out. */
export function compactRows(
  sessions: readonly ListedSession[],
  overrides: ClassOverrides,
): FittedRows {
  const room = MAX_ANSWER_CHARACTERS - AROUND_CHARACTERS;
  for (const limit of TITLE_LIMITS) {
    const rows = rowsUpTo(sessions, overrides, limit);
    if (rows.text.length <= room) {
      return { markdown: rows, shown: sessions.length, titleCharacters: limit };
    }
  }
  const titleCharacters = TITLE_LIMITS[TITLE_LIMITS.length - 1] ?? 20;
  let shown = sessions.length;
  let markdown = rowsUpTo(sessions, overrides, titleCharacters);
  while (shown > 1 && markdown.text.length > room) {
    shown--;
    markdown = rowsUpTo(sessions.slice(0, shown), overrides, titleCharacters);
  }
  return { markdown, shown, titleCharacters };
}

function rowsUpTo(
  sessions: readonly ListedSession[],
  overrides: ClassOverrides,
  titleCharacters: number,
): Markdown {
  const markdown = new Markdown();
  for (const one of sessions) {
    markdown.entry(headingOf(one, titleCharacters), compact(one, overrides));
  }
  return markdown;
}

/** Rows with all fields. */
export function fullRows(
  sessions: readonly ListedSession[],
  overrides: ClassOverrides,
): Markdown {
  const markdown = new Markdown();
  for (const one of sessions) {
    markdown.entry(headingOf(one, 100), [
      ...compact(one, overrides),
      ...details(one),
    ]);
  }
  return markdown;
}

function headingOf({ title, id }: ListedSession, limit: number): Inline {
  return md`${preview(title, limit)} (ID: ${id})`;
}

function compact(
  session: ListedSession,
  overrides: ClassOverrides,
): readonly Inline[] {
  const reason = reasonLine(session);
  const { visibility, snoozedUntil } = session;
  const lines = [
    md`**Status:** ${session.status} · **Agent Runtime:** ${
      session.agentRuntime ?? "none (its client)"
    }`,
  ];
  if (reason !== undefined) {
    lines.push(md`**${labelOf(session)}:** ${short(reason)}`);
  }
  if (visibility !== "visible") {
    lines.push(
      md`**Visibility:** ${visibility}${
        snoozedUntil === null ? "" : ` until ${second(snoozedUntil)}`
      }`,
    );
  }
  lines.push(
    md`**Genesis:** ${session.genesis} (${
      classOf(session, overrides).name
    }) · **Precedence:** ${session.precedence}`,
    md`**Created:** ${second(session.createdAt)} · **Updated:** ${
      second(session.updatedAt)
    }`,
  );
  return lines;
}

function labelOf({ status, waitReason }: ListedSession): string {
  if (waitReason === "asleep") return "Asleep";
  if (status === "waiting") return "Waiting";
  return status === "failed" ? "Failed" : "Paused";
}

/** Reasons of failures are whole in get_session. */
function short(reason: Inline): Inline {
  return reason.text.length <= 120
    ? reason
    : new Inline(`${reason.text.slice(0, 100).replace(/\\$/, "")}… [cut]`);
}

function details(session: ListedSession): readonly Inline[] {
  const { promptStart, promptCharacters, mcpServers } = session;
  const prompt = promptStart === null
    ? md`none`
    : promptCharacters > [...promptStart].length
    ? md`${promptStart}... [${grouped(promptCharacters)} characters in all]`
    : md`${promptStart}`;
  return [
    md`**Slug:** ${session.slug ?? "none"}`,
    md`**Category:** ${session.category ?? "Uncategorized"}`,
    md`**Repository:** ${withoutCredentials(session.repository ?? "none")}`,
    md`**Branch:** ${session.branch ?? "none"}`,
    md`**Prompt:** ${prompt}`,
    md`**MCP Servers:** ${
      mcpServers.length === 0
        ? "none"
        : joined(mcpServers.map((one) => md`${one}`), ", ")
    }`,
  ];
}
