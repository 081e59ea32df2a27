/**
 * The transcripts of all sessions as gzipped JSON Lines, made while they are
 * sent: nothing is kept of it, and a client that reads slowly holds nothing up.
 *
 * @module
 */
import {
  type ArchiveEntry,
  readArchive,
} from "../../../store/session_reads/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { isoTime } from "../../render.ts";
import { sessionShape } from "../../session_shape.ts";

/** Characters that are handed on at once, about. */
const PART_CHARACTERS = 64 * 1024;

/** Starts it. An entry that cannot be read breaks the stream off. */
export function archiveStream(db: Db): ReadableStream<Uint8Array> {
  return ReadableStream.from(partsOf(readArchive(db)))
    .pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip") as TransformStream);
}

async function* partsOf(
  entries: AsyncIterable<ArchiveEntry>,
): AsyncGenerator<string> {
  let part = "";
  for await (const entry of entries) {
    part += `${JSON.stringify(lineOf(entry))}\n`;
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = "";
  }
  if (part !== "") yield part;
}

function lineOf(entry: ArchiveEntry): Readonly<Record<string, unknown>> {
  if (entry.kind === "session") {
    return { type: "session", ...sessionShape(entry.session) };
  }
  const { sessionId, turn, seq, at, kind, text, payload } = entry.event;
  return {
    type: "event",
    session_id: sessionId,
    turn,
    seq,
    at: isoTime(at),
    kind,
    text,
    payload,
  };
}
