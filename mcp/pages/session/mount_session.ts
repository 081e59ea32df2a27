/**
 * Routes of a session's page.
 *
 * @module
 */
import { SessionWatch } from "../../../fleet/mod.ts";
import type { PageDoor } from "../door.ts";
import { PATHS } from "../layout.ts";
import type { EventStreams } from "../live/event_streams.ts";
import { act, answer, changeMessage, tell } from "./act.ts";
import { archivePage, takeArchive } from "./archive_page.ts";
import { openSessionFeed } from "./session_feed.ts";
import { sessionPage } from "./session_page.ts";

const SESSION = `${PATHS.sessions}/:id{[0-9]{1,15}}`;

/** Mounts them. `now` is the clock, in milliseconds since 1970. */
export function mountSession(
  { page, form, feed, services }: PageDoor,
  { streams, now }: {
    readonly streams: EventStreams;
    readonly now: () => number;
  },
): void {
  const parts = {
    services,
    watch: new SessionWatch(services.store),
    streams,
    now,
  };
  page(
    SESSION,
    ({ c, person, now }) =>
      sessionPage(services, Number(c.req.param("id")), {
        person,
        now,
        before: c.req.query("before"),
      }),
  );
  feed(
    `${SESSION}/feed`,
    (call) => Promise.resolve(openSessionFeed(parts, call)),
  );
  form(`${SESSION}/do`, (call) => act(services, call));
  form(`${SESSION}/tell`, (call) => tell(services, call));
  form(
    `${SESSION}/messages/:message{[0-9]{1,15}}`,
    (call) => changeMessage(services, call),
  );
  form(
    `${SESSION}/questions/:question{[0-9]{1,15}}`,
    (call) => answer(services, call),
  );
  page(`${SESSION}/archive`, (call) => archivePage(services, call));
  form(`${SESSION}/archive`, (call) => takeArchive(services, call));
}
