/**
 * `get_notifications`: notices for people.
 *
 * @module
 */
import { assertWithin, keysWithin } from "../../../fleet/mod.ts";
import {
  countNotifications,
  findNotification,
  listNotifications,
  type Notification,
} from "../../../store/around_sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown } from "../../markdown/document.ts";
import { grouped, type Inline, md, preview } from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  TEXT,
  TIME,
} from "../../schema.ts";
import { second } from "../../session_text/state.ts";
import { PAGE_INPUT, PER_PAGE_INPUT } from "../page.ts";
import { defineTool, Written } from "../tool.ts";

const DEFAULT_PER_PAGE = 25;
/** Characters of a message in a list. */
const PREVIEW_CHARACTERS = 200;

/** The tool. */
export const getNotifications = defineTool({
  name: "get_notifications",
  title: "Get notifications",
  access: "read",
  description:
    "Shows notices for people: about sessions that came to rest or failed, and what sessions sent with send_push_notification. Without arguments the active ones, newest first; id reads one whole; badge_only counts the pending ones: neither read nor outdated. A notice is outdated once its session goes on.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "One notice by its number",
    },
    badge_only: { type: "boolean", description: "true: only the count" },
    status: {
      type: "string",
      enum: ["read", "unread"],
      description: "Only these",
    },
    page: PAGE_INPUT,
    per_page: {
      ...PER_PAGE_INPUT,
      description: `Notices of a page, ${DEFAULT_PER_PAGE} by default`,
    },
  }),
  output: objectOf({ pending: COUNT }, {
    total: COUNT,
    notifications: listOf(objectOf({
      id: COUNT,
      session_id: COUNT,
      type: TEXT,
      read: FLAG,
      created_at: TIME,
    })),
  }),
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const db = await services.store.db();
    const rootKeys = await keysWithin(fleet, caller);
    const fence = rootKeys === undefined
      ? undefined
      : { rootKeys, sessionId: caller.sessionId };
    const pending = await countNotifications(db, { isRead: false, fence });
    if (args.badge_only === true) {
      return new Written(
        new Markdown().line(md`${grouped(pending)} pending notification(s)`)
          .text,
        { pending },
      );
    }
    if (args.id !== undefined) {
      const found = await findNotification(db, args.id);
      if (found === undefined) {
        throw new ToolError(
          `Notification ${args.id} does not exist; get_notifications lists those there are`,
          { reason: "not_found" },
        );
      }
      await assertWithin(fleet, caller, found.session, "reading its notices");
      const markdown = new Markdown().item(lineOf(found));
      if (found.message !== null) markdown.quote(found.message, 1);
      return new Written(markdown.text, {
        pending,
        notifications: [shapeOf(found)],
      });
    }
    const { page = 1, per_page: perPage = DEFAULT_PER_PAGE } = args;
    const filter = {
      isRead: args.status === undefined ? undefined : args.status === "read",
      fence,
    };
    const [total, found] = await Promise.all([
      countNotifications(db, filter),
      listNotifications(db, filter, {
        limit: perPage,
        offset: (page - 1) * perPage,
      }),
    ]);
    const pages = Math.max(1, Math.ceil(total / perPage));
    const markdown = new Markdown().line(
      md`${grouped(total)} notification(s), ${
        grouped(pending)
      } pending (page ${page} of ${pages})`,
    );
    for (const one of found) {
      markdown.item(
        one.message === null
          ? lineOf(one)
          : md`${lineOf(one)}: ${preview(one.message, PREVIEW_CHARACTERS)}`,
      );
    }
    if (
      found.some(({ message }) => (message ?? "").length > PREVIEW_CHARACTERS)
    ) {
      markdown.line(md`_id shows a long message whole._`);
    }
    if (page < pages) markdown.line(md`_Next page: page: ${page + 1}_`);
    return new Written(markdown.text, {
      pending,
      total,
      notifications: found.map(shapeOf),
    });
  },
});

function lineOf(one: Notification): Inline {
  return md`#${one.id} ${one.isRead ? "read" : "unread"}${
    one.isStale ? ", outdated" : ""
  } **${one.type}** of session #${one.sessionId} (${
    preview(one.sessionTitle, 60)
  }) at ${second(one.createdAt)}`;
}

function shapeOf({ id, sessionId, type, isRead, createdAt }: Notification) {
  return {
    id,
    session_id: sessionId,
    type,
    read: isRead,
    created_at: isoTime(createdAt),
  };
}
