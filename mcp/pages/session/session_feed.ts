/**
 * What the open page of a session is told: what was said, and panels that
 * changed.
 *
 * @module
 */
import type { SessionWatch } from "../../../fleet/mod.ts";
import type { EventPlace } from "../../../store/session_reads/mod.ts";
import { refuse } from "../../http/envelope.ts";
import type { Services } from "../../services.ts";
import type { FeedCall } from "../door.ts";
import type { EventStreams, SendEvent } from "../live/event_streams.ts";
import { Telling } from "../live/telling.ts";
import { PANEL_NAMES, type PanelName, panelsOf } from "./panels.ts";
import { readSession } from "./read_session.ts";
import { placeOf, placeText, TranscriptReader } from "./read_transcript.ts";

/** What the pages of a server have in common. */
export interface SessionFeedParts {
  readonly services: Services;
  readonly watch: SessionWatch;
  readonly streams: EventStreams;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Opens the stream of a session's page. */
export function openSessionFeed(
  { services, watch, streams, now }: SessionFeedParts,
  { c, person, holder }: FeedCall,
): Response {
  const id = Number(c.req.param("id"));
  const mayWrite = person.barred === undefined;
  const response = streams.open((send) => {
    const page = new OpenPage(services, id, {
      send,
      mayWrite,
      now,
      first: placeOf(c.req.query("first")),
      last: placeOf(c.req.header("last-event-id")) ??
        placeOf(c.req.query("last")),
    });
    const stop = watch.listen(id, () => page.tell());
    return async () => {
      await Promise.all([stop(), page.stop()]);
    };
  }, holder);
  return response ??
    refuse(c, 503, "unavailable", "Too many pages are open; try later");
}

/** What an open page is. */
interface PageLook {
  readonly send: SendEvent;
  readonly mayWrite: boolean;
  readonly now: () => number;
  /** The event that it began with. */
  readonly first: EventPlace | undefined;
  /** The last one that it has shown. */
  readonly last: EventPlace | undefined;
}

/** One open page, and what it has been told. */
class OpenPage {
  readonly #services: Services;
  readonly #id: number;
  readonly #look: PageLook;
  readonly #transcript: TranscriptReader;
  readonly #shown = new Map<PanelName, string>();
  readonly #telling = new Telling(async () => {
    await this.#tellSaid();
    await this.#tellPanels();
  });

  constructor(
    services: Services,
    id: number,
    look: PageLook,
  ) {
    this.#services = services;
    this.#id = id;
    this.#look = look;
    this.#transcript = new TranscriptReader(id, look);
    this.#transcript.resume(look);
  }

  tell(): void {
    this.#telling.tell();
  }

  async stop(): Promise<void> {
    await this.#telling.stop();
  }

  async #tellSaid(): Promise<void> {
    const db = await this.#services.store.db();
    while (!this.#telling.isOver) {
      const { items, place, isOver } = await this.#transcript.next(db);
      if (isOver) return;
      const id = place && placeText(place);
      for (const { key, item } of items) {
        this.#look.send({
          event: "said",
          data: JSON.stringify({ key, item: String(item) }),
          ...(id === undefined ? {} : { id }),
        });
      }
    }
  }

  async #tellPanels(): Promise<void> {
    const { mayWrite, now, send } = this.#look;
    const reading = await readSession(this.#services, this.#id);
    if (reading === undefined) return;
    const panels = panelsOf(reading, { mayWrite, now: now() });
    for (const name of PANEL_NAMES) {
      const panel = String(panels[name]);
      // Ages go on by themselves: they are no news.
      const news = panel.replace(/\((?:now|in )?[\d,]+[^)]*\)/g, "");
      if (this.#shown.get(name) === news) continue;
      this.#shown.set(name, news);
      send({ event: "panel", data: JSON.stringify({ name, panel }) });
    }
  }
}
