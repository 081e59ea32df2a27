/**
 * What an open board is told: the cards of sessions that changed.
 *
 * However many boards are open, the database is looked at once, and the cards of
 * a filter are read and drawn once.
 *
 * @module
 */
import type { BoardNews, BoardWatch } from "../../../fleet/mod.ts";
import {
  type BoardFilter,
  readCards,
  readCategories,
} from "../../../store/board/mod.ts";
import { readClassOverrides } from "../../../store/sessions/mod.ts";
import { refuse } from "../../http/envelope.ts";
import type { Services } from "../../services.ts";
import type { FeedCall } from "../door.ts";
import type { EventStreams, LiveEvent } from "../live/event_streams.ts";
import { boardFilterOf } from "./board_filter.ts";
import { cardItem, type CardLook, placeOf, sectionOf } from "./card.ts";

/** What the boards of a server have in common. */
export class BoardFeed {
  readonly #services: Services;
  readonly #watch: BoardWatch;
  readonly #streams: EventStreams;
  readonly #now: () => number;
  /** Of the news that are told now: what was drawn, by filter. */
  readonly #drawn = new WeakMap<
    BoardNews,
    Map<string, Promise<readonly LiveEvent[]>>
  >();

  /** Looks at nothing yet. `now` is the clock, in milliseconds since 1970. */
  constructor(
    services: Services,
    { watch, streams, now }: {
      readonly watch: BoardWatch;
      readonly streams: EventStreams;
      readonly now: () => number;
    },
  ) {
    this.#services = services;
    this.#watch = watch;
    this.#streams = streams;
    this.#now = now;
  }

  /** Opens the stream of a board. */
  open({ c, holder }: FeedCall): Promise<Response> {
    const { filter } = boardFilterOf(c.req.query());
    const since = momentOf(c.req.header("last-event-id")) ??
      momentOf(c.req.query("since"));
    const response = this.#streams.open((send) => {
      const tell = async (news: BoardNews) => {
        try {
          for (const event of await this.#draw(news, filter)) send(event);
        } catch {
          // The database is away; the next look tells of later changes, and a
          // client that comes back is told of these.
        }
      };
      const stop = this.#watch.listen((news) => void tell(news));
      if (since !== undefined) {
        this.#watch.changedSince(since).then(tell, () => {});
      }
      return stop;
    }, holder);
    return Promise.resolve(
      response ??
        refuse(c, 503, "unavailable", "Too many pages are open; try later"),
    );
  }

  #draw(
    news: BoardNews,
    filter: BoardFilter,
  ): Promise<readonly LiveEvent[]> {
    const drawn = this.#drawn.get(news) ?? new Map();
    this.#drawn.set(news, drawn);
    const name = JSON.stringify(filter);
    const events = drawn.get(name) ?? this.#drawAnew(news, filter);
    drawn.set(name, events);
    return events;
  }

  async #drawAnew(
    { ids, at }: BoardNews,
    filter: BoardFilter,
  ): Promise<readonly LiveEvent[]> {
    const db = await this.#services.store.db();
    const [cards, categories, overrides] = await Promise.all([
      readCards(db, filter, { limit: ids.length, ids }),
      readCategories(db),
      readClassOverrides(db),
    ]);
    const look: CardLook = {
      now: this.#now(),
      overrides,
      categories: new Map(categories.map(({ id, name }) => [id, name])),
    };
    const byId = new Map(cards.map((card) => [card.id, card]));
    const id = at.toISOString();
    return ids.map((session) => {
      const card = byId.get(session);
      const data = card === undefined ? { id: session } : {
        id: session,
        lane: sectionOf(card, look.categories),
        place: placeOf(card),
        card: String(cardItem(card, look)),
      };
      return { event: "card", id, data: JSON.stringify(data) };
    });
  }
}

function momentOf(text: string | undefined): Date | undefined {
  const moment = new Date(text ?? NaN);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
