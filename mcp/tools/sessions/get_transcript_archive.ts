/**
 * `get_transcript_archive`: where the transcripts of all sessions are had.
 *
 * @module
 */
import { readArchiveFigures } from "../../../store/session_reads/mod.ts";
import { ToolError } from "../../errors.ts";
import { receipt } from "../../markdown/document.ts";
import { code, grouped, Inline, md } from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import { COUNT, NO_INPUT, objectOf, orNull, TEXT, TIME } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";

const PATH = "/api/v1/transcripts.jsonl.gz";
const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** The tool. */
export const getTranscriptArchive = defineTool({
  name: "get_transcript_archive",
  title: "Get the transcript archive",
  access: "read",
  description:
    "Where the transcripts of all sessions are downloaded, as gzipped JSON Lines: a line for each session, then one for each of its events. It is made while it is sent, so it is as fresh as the download, and may be hundreds of megabytes. It is an export, not a search: quick_search_sessions with search_contents: true finds what was said, get_session reads one session. The download takes an API key; a session's token does not open it.",
  isDestructive: false,
  isIdempotent: true,
  input: NO_INPUT,
  output: objectOf({
    path: TEXT,
    url: orNull(TEXT),
    sessions: COUNT,
    stored_bytes: COUNT,
    counted_at: TIME,
  }),
  async run({ connection, services }) {
    const figures = await readArchiveFigures(await services.store.db());
    if (figures.sessions === 0) {
      throw new ToolError(
        "There is no transcript archive yet: no session has said anything",
        { reason: "not_found" },
      );
    }
    const { origin } = connection;
    const url = origin === undefined ? undefined : `${origin}${PATH}`;
    return new Written(
      receipt(md`Transcript Archive`, [
        [
          "URL",
          url === undefined
            ? md`${code(PATH)} below the address of a server (deno task start)`
            : code(url),
        ],
        [
          "Download",
          new Inline(
            `\`curl -fH "X-API-Key: $API_KEY" -o transcripts.jsonl.gz ${
              url ?? `SERVER${PATH}`
            }\``,
          ),
        ],
        ["Generated", "when it is asked for"],
        ["Counted", isoTime(figures.now)],
        ["Sessions", grouped(figures.sessions)],
        [
          "Size",
          `about ${
            sizeOf(figures.storedBytes)
          } in the database; gzipped it is mostly smaller`,
        ],
      ]).text,
      {
        path: PATH,
        url: url ?? null,
        sessions: figures.sessions,
        stored_bytes: Math.round(figures.storedBytes),
        counted_at: isoTime(figures.now),
      },
    );
  },
});

function sizeOf(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
