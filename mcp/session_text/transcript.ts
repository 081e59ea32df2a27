/**
 * What a session said, to be read: the newest events that fit, and where the
 * older ones are.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import {
  type EventPlace,
  readNewestEvents,
  type TranscriptEvent,
} from "../../store/session_reads/mod.ts";
import { ToolError } from "../errors.ts";
import { Markdown } from "../markdown/document.ts";
import { code, grouped, md } from "../markdown/inline.ts";
import { cutText } from "../render.ts";
import { second } from "./state.ts";

/** Characters of the section at most; one event comes in any case. */
const MAX_CHARACTERS = 100_000;
/** Characters of one event: an agent may print a file. */
const EVENT_CHARACTERS = 20_000;
const EVENTS_AT_ONCE = 500;

const PLACE_REGEXP = /^([1-9]\d{0,15})\.([1-9]\d{0,15})$/;

/** What is asked for. */
export interface TranscriptAsked {
  readonly total: number;
  readonly format: "text" | "json";
  readonly before: string | undefined;
}

/** Where the transcript is, when it is not shown. */
export function transcriptHint(id: number, events: number): Markdown {
  const markdown = new Markdown().heading(3, md`Transcript File`);
  return markdown.line(
    events === 0
      ? md`There is no transcript yet.`
      : md`${
        grouped(events)
      } event(s), not shown: include_transcript: true shows the newest, ${
        code(`GET /api/v1/sessions/${id}/transcript`)
      } has all of them, by pages.`,
  );
}

/** The newest events before a place, oldest first. @throws {ToolError} */
export async function transcriptSection(
  db: Db,
  id: number,
  { total, format, before }: TranscriptAsked,
): Promise<Markdown> {
  const newest = await readNewestEvents(db, id, {
    before: placeOf(before),
    limit: EVENTS_AT_ONCE,
  });
  const markdown = new Markdown().heading(3, md`Transcript`);
  if (newest.length === 0) {
    return markdown.line(
      before === undefined
        ? md`There is no transcript yet.`
        : md`There are no events before ${code(before)}.`,
    );
  }
  const shown = fitting(newest, format).toReversed();
  const [first] = shown;
  if (first !== undefined) {
    markdown.line(
      md`${shown.length} of ${grouped(total)} event(s), oldest first. ${
        isFirst(first)
          ? md`They begin with the first.`
          : md`Older ones: transcript_before: ${
            code(`${first.turnId}.${first.seq}`)
          }.`
      }`,
    );
  }
  for (const event of shown) markdown.append(eventMarkdown(id, event, format));
  return markdown;
}

function isFirst({ turn, seq }: TranscriptEvent): boolean {
  return turn === 1 && seq === 1;
}

function placeOf(text: string | undefined): EventPlace | undefined {
  if (text === undefined) return undefined;
  const [, turnId, seq] = PLACE_REGEXP.exec(text) ?? [];
  if (turnId === undefined || seq === undefined) {
    throw new ToolError(
      `transcript_before is the place that a page of the transcript named, such as 12.34; it is "${
        cutText(text, 100)
      }"`,
    );
  }
  return { turnId: Number(turnId), seq: Number(seq) };
}

/** As many of the newest as there is room for, one at least. */
function fitting(
  newest: readonly TranscriptEvent[],
  format: "text" | "json",
): readonly TranscriptEvent[] {
  let room = MAX_CHARACTERS;
  const end = newest.findIndex((event, index) => {
    room -= Math.min(EVENT_CHARACTERS, bodyOf(event, format).length) + 80;
    return index > 0 && room < 0;
  });
  return end < 0 ? newest : newest.slice(0, end);
}

function bodyOf(
  { text, payload }: TranscriptEvent,
  format: "text" | "json",
): string {
  return format === "json" ? JSON.stringify(payload) : text ?? "";
}

function eventMarkdown(
  id: number,
  event: TranscriptEvent,
  format: "text" | "json",
): Markdown {
  const markdown = new Markdown().item(
    md`**${event.kind}** (turn ${event.turn}, event ${event.seq}, ${
      second(event.at)
    })`,
  );
  const body = bodyOf(event, format);
  if (body === "") return markdown;
  return markdown.quoteUpTo(body, {
    limit: EVENT_CHARACTERS,
    whole: `GET /api/v1/sessions/${id}/transcript has it whole`,
  }, 1);
}
