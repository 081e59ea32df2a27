/**
 * Routes of the board.
 *
 * @module
 */
import { BoardWatch } from "../../../fleet/mod.ts";
import type { PageDoor } from "../door.ts";
import { PATHS } from "../layout.ts";
import type { EventStreams } from "../live/event_streams.ts";
import { BoardFeed } from "./board_feed.ts";
import { boardPage } from "./board_page.ts";
import { categoriesPage, changeCategories } from "./categories_page.ts";
import { newSessionPage, takeNewSession } from "./new_session_page.ts";
import { setSight } from "./set_sight.ts";

/** Mounts them. `now` is the clock, in milliseconds since 1970. */
export function mountBoard(
  { page, form, feed, services }: PageDoor,
  { streams, now }: {
    readonly streams: EventStreams;
    readonly now: () => number;
  },
): void {
  const watch = new BoardWatch(services.store);
  const live = new BoardFeed(services, { watch, streams, now });
  page(PATHS.board, (call) => boardPage(services, call.c.req.query(), call));
  feed(PATHS.boardFeed, (call) => live.open(call));
  page(PATHS.categories, (call) => categoriesPage(services, call));
  form(PATHS.categories, (call) => changeCategories(services, call));
  page(PATHS.newSession, (call) => newSessionPage(services, call));
  form(PATHS.newSession, (call) => takeNewSession(services, call));
  form(
    `${PATHS.sessions}/:id{[0-9]{1,15}}/sight`,
    (call) => setSight(services, call),
  );
}
