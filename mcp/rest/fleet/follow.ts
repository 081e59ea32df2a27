/**
 * A transcript as it comes, as server-sent events: what was said behind a place,
 * then whatever is said from then on.
 *
 * @module
 */
import type { SessionWatch } from "../../../fleet/mod.ts";
import {
  type EventPlace,
  readEvents,
  type TranscriptEvent,
} from "../../../store/session_reads/mod.ts";
import { findSession, type Session } from "../../../store/sessions/mod.ts";
import { envelopeOf } from "../../http/envelope.ts";
import type {
  EventStreams,
  SendEvent,
} from "../../pages/live/event_streams.ts";
import { Telling } from "../../pages/live/telling.ts";
import { isoTime } from "../../render.ts";
import type { Services } from "../../services.ts";

/** What the streams of a server have in common. */
export interface LiveParts {
  /** All of them. */
  readonly streams: EventStreams;
  /** One look at the database for all. */
  readonly watch: SessionWatch;
}

/** A place as clients name it. */
export function placeText({ turnId, seq }: EventPlace): string {
  return `${turnId}.${seq}`;
}

/** An event, for programs. */
export function eventShape(
  { turn, seq, at, kind, text, payload }: TranscriptEvent,
): {
  readonly turn: number;
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly text: string | null;
  readonly payload: unknown;
} {
  return { turn, seq, at: isoTime(at), kind, text, payload };
}

/** Opens the stream; 503 where there are too many, or the server stops. */
export function followTranscript(
  { services, live }: {
    readonly services: Services;
    readonly live: LiveParts;
  },
  { id, after }: {
    readonly id: number;
    readonly after: EventPlace | undefined;
  },
): Response {
  const response = live.streams.open((send) => {
    const follower = new Follower(services, { id, after, send });
    const stop = live.watch.listen(id, () => follower.tell());
    return async () => {
      await Promise.all([stop(), follower.stop()]);
    };
  });
  return response ?? Response.json(
    envelopeOf("unavailable", "Too many streams are open; try again shortly"),
    { status: 503, headers: { "retry-after": "2" } },
  );
}

/** One client, and what it has been told. */
class Follower {
  readonly #services: Services;
  readonly #id: number;
  readonly #send: SendEvent;
  readonly #telling = new Telling(() => this.#tellNews());
  #after: EventPlace | undefined;
  #state = "";

  constructor(services: Services, { id, after, send }: {
    readonly id: number;
    readonly after: EventPlace | undefined;
    readonly send: SendEvent;
  }) {
    this.#services = services;
    this.#id = id;
    this.#after = after;
    this.#send = send;
  }

  tell(): void {
    this.#telling.tell();
  }

  async stop(): Promise<void> {
    await this.#telling.stop();
  }

  async #tellNews(): Promise<void> {
    const db = await this.#services.store.db();
    // The state first: what was said before it changed is told before it.
    const session = await findSession(db, this.#id);
    while (!this.#telling.isOver) {
      const events = await readEvents(db, this.#id, { after: this.#after });
      for (const event of events) this.#tellEvent(event);
      if (events.length === 0) break;
    }
    if (session !== undefined) this.#tellState(session);
  }

  #tellEvent(event: TranscriptEvent): void {
    this.#after = event;
    this.#send({
      event: "said",
      data: JSON.stringify(eventShape(event)),
      id: placeText(event),
    });
  }

  #tellState(session: Session): void {
    const { status, waitReason, failureReason, stateSince } = session;
    const state = JSON.stringify({
      status,
      wait_reason: waitReason,
      failure_reason: failureReason,
      state_since: isoTime(stateSince),
    });
    if (state === this.#state) return;
    this.#state = state;
    this.#send({ event: "state", data: state });
  }
}
