/**
 * What sessions said, whole, by pages.
 *
 * @module
 */
import { findFor, UNRESTRICTED } from "../../fleet/mod.ts";
import {
  MAX_EVENTS,
  readArchiveFigures,
  readEvents,
} from "../../store/session_reads/mod.ts";
import { ToolError } from "../errors.ts";
import { fleetOf } from "../fleet.ts";
import { cutText } from "../render.ts";
import {
  COUNT,
  inputOf,
  listOf,
  NO_INPUT,
  objectOf,
  orNull,
  TEXT,
  TIME,
} from "../schema.ts";
import { archiveStream } from "./fleet/archive.ts";
import { eventShape, followTranscript, placeText } from "./fleet/follow.ts";
import {
  defineDownload,
  defineRoute,
  defineStream,
  type RestRoute,
} from "./route.ts";

const PLACE_REGEXP = /^([1-9]\d{0,15})\.([1-9]\d{0,15})$/;

/** An event of a transcript. */
export const TRANSCRIPT_EVENT = objectOf({
  turn: { ...COUNT, description: "Which turn of the session, from 1" },
  seq: { ...COUNT, description: "Its place in the turn, from 1" },
  at: TIME,
  kind: TEXT,
  text: orNull(TEXT),
  payload: {},
});

/** The routes. */
export const TRANSCRIPT_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/sessions/{session}/transcript",
    operationId: "get_transcript",
    summary:
      "What a session said, whole and oldest first; next_after goes on, and is null behind the last event",
    input: inputOf({
      session: { type: "string", description: "The session's id or slug" },
      after: {
        type: "string",
        description: "Goes on behind this place: next_after of the page before",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_EVENTS,
        description:
          `Events of a page at most, ${MAX_EVENTS} by default; fewer where they are large`,
      },
    }, ["session"]),
    output: objectOf({
      session_id: COUNT,
      events: listOf(TRANSCRIPT_EVENT),
      next_after: orNull(TEXT),
    }),
    async run({ services }, { session: name, after, limit }) {
      const place = placeOf(after);
      const { id } = await findFor(fleetOf(services), UNRESTRICTED, {
        name,
        act: "reading its transcript",
      });
      const events = await readEvents(await services.store.db(), id, {
        after: place,
        limit,
      });
      const last = events.at(-1);
      return {
        session_id: id,
        events: events.map(eventShape),
        next_after: last === undefined ? null : placeText(last),
      };
    },
  }),
  defineStream({
    method: "GET",
    path: "/sessions/{session}/transcript/events",
    operationId: "follow_transcript",
    summary:
      "What a session says, as server-sent events: said (an event of the transcript, its place as id) and state, from the beginning or behind a place, until the client leaves; Last-Event-ID goes on where a stream was lost",
    input: inputOf({
      session: { type: "string", description: "The session's id or slug" },
      after: {
        type: "string",
        description:
          "Begins behind this place: next_after of a page, or the id of an event",
      },
    }, ["session"]),
    async run({ services, live, lastEventId }, { session: name, after }) {
      const place = placeOf(lastEventId ?? after);
      const { id } = await findFor(fleetOf(services), UNRESTRICTED, {
        name,
        act: "reading its transcript",
      });
      return followTranscript({ services, live }, { id, after: place });
    },
  }),
  defineDownload({
    method: "GET",
    path: "/transcripts.jsonl.gz",
    operationId: "download_transcripts",
    summary:
      "The transcripts of all sessions, gzipped JSON Lines made while they are sent: a line of type session, then one of type event for each event of it",
    input: NO_INPUT,
    media: "application/gzip",
    async run({ services }) {
      const db = await services.store.db();
      const { sessions } = await readArchiveFigures(db);
      if (sessions > 0) return archiveStream(db);
      throw new ToolError("There is no transcript yet", {
        reason: "not_found",
      });
    },
  }),
];

function placeOf(
  after: string | undefined,
): { readonly turnId: number; readonly seq: number } | undefined {
  if (after === undefined) return undefined;
  const [, turnId, seq] = PLACE_REGEXP.exec(after) ?? [];
  if (turnId !== undefined && seq !== undefined) {
    return { turnId: Number(turnId), seq: Number(seq) };
  }
  throw new ToolError(
    `A place is the next_after of a page or the id of an event, such as 12.34; it is "${
      cutText(after, 100)
    }"`,
  );
}
