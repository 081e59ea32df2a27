/**
 * `session log`: what a session said, and on request what it says from now on.
 *
 * @module
 */
import {
  type Services,
  toJsonLine,
  toPrintableJson,
} from "../../../mcp/mod.ts";
import {
  type EventPlace,
  readEvents,
  readNewestEvents,
  type TranscriptEvent,
} from "../../../store/session_reads/mod.ts";
import { findSession, type Session } from "../../../store/sessions/mod.ts";
import { awaitStop } from "../../app/shutdown.ts";
import { print, toLine } from "../../output.ts";
import { ConfigError } from "../../settings/config.ts";
import { type Call, textFlag } from "../../verb.ts";
import { minute, stateOf } from "./standing.ts";

const STANDARD_EVENTS = 100;
const MAX_EVENTS = 1_000;
/** How often what is new is looked for. */
const LOOK_MS = 500;

/** Prints it. With `--follow` until the session is over, or a signal comes. */
export async function log(
  call: Call,
  { store }: Services,
  session: Session,
): Promise<number> {
  const db = await store.db();
  const limit = limitOf(call);
  const newest = await readNewestEvents(db, session.id, {
    // Where what comes begins is known also when nothing is shown before it.
    limit: Math.max(limit, 1),
  });
  const events = newest.toReversed();
  if (limit > 0) { for (const event of events) show(call, event); }
  if (call.flags.follow !== true) return 0;
  using stopping = awaitStop();
  let hasStopped = false;
  stopping.received.then(() => hasStopped = true);
  let after: EventPlace | undefined = events.at(-1);
  let standing = "";
  while (!hasStopped) {
    // The state first: whatever was said before it changed is read after it.
    const now = await findSession(db, session.id);
    if (now === undefined) break;
    after = await showAll(call, db, session.id, after);
    if (stateOf(now) !== standing) {
      standing = stateOf(now);
      if (call.flags.json !== true) {
        print(`— ${minute(now.stateSince)} ${standing} —`);
      }
    }
    if (now.status === "archived" || now.status === "failed") break;
    await nextLook(stopping.received);
  }
  return 0;
}

async function showAll(
  call: Call,
  db: Awaited<ReturnType<Services["store"]["db"]>>,
  id: number,
  place: EventPlace | undefined,
): Promise<EventPlace | undefined> {
  let after = place;
  for (;;) {
    const events = await readEvents(db, id, { after });
    for (const event of events) show(call, event);
    const last = events.at(-1);
    if (last === undefined) return after;
    after = last;
  }
}

function show(call: Call, event: TranscriptEvent): void {
  const { turn, seq, at, kind, text, payload } = event;
  if (call.flags.json === true) {
    const line = { turn, seq, at: at.toISOString(), kind, text, payload };
    print(toPrintableJson(toJsonLine(line)));
    return;
  }
  if (text === null) return;
  const [first = "", ...rest] = text.split("\n");
  print(`${turn}.${seq} ${kind}: ${toLine(first)}`);
  for (const line of rest) print(`    ${toLine(line)}`);
}

function limitOf(call: Call): number {
  const text = textFlag(call, "last");
  if (text === undefined) return STANDARD_EVENTS;
  const limit = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (limit >= 0 && limit <= MAX_EVENTS) return limit;
  throw new ConfigError([
    `--last must be a number from 0 to ${MAX_EVENTS}: it is "${text}"`,
  ]);
}

async function nextLook(stopped: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LOOK_MS);
  await Promise.race([promise, stopped]);
  clearTimeout(timer);
}
