/**
 * `manage_enqueued_messages`: the queue of a session by hand.
 *
 * @module
 */
import {
  assertReach,
  assertWithin,
  createMessage,
  editMessage,
  interruptWith,
  removeMessage,
  reorderMessage,
  sendNow,
} from "../../../fleet/mod.ts";
import {
  countMessages,
  findMessage,
  listMessages,
  type QueuedMessage,
} from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown } from "../../markdown/document.ts";
import { md, preview } from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  withOptional,
} from "../../schema.ts";
import { PAGE_INPUT, PER_PAGE_INPUT } from "../page.ts";
import { defineTool, Written } from "../tool.ts";
import {
  deliveryFacts,
  deliveryFields,
  DONE,
  facts,
  findTarget,
  sessionReceipt,
} from "./receipt.ts";
import { SESSION_NAME_INPUT } from "./session_input.ts";

const ACTIONS = [
  "list",
  "get",
  "create",
  "update",
  "delete",
  "reorder",
  "interrupt",
  "send_now",
] as const;

const PREVIEW_CHARACTERS = 200;

const MESSAGE = objectOf({
  id: COUNT,
  position: orNull(COUNT),
  status: TEXT,
  origin: TEXT,
});

/** The tool. */
export const manageEnqueuedMessages = defineTool({
  name: "manage_enqueued_messages",
  title: "Manage a session's queue",
  access: "write",
  description:
    "Messages that wait to be said to a session. list (200 characters of each) and get (whole) before you add: consolidate with update, delete and reorder rather than restate what waits. create queues at the end; a session at rest takes it at once. interrupt moves a pending message to the front and ends the turn under way for it; send_now queues and interrupts in one step. An interrupted turn loses its uncommitted tool call, nothing else: use it for what changes the plan. goal is the message's own; update with a blank one clears it.",
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    action: { type: "string", enum: ACTIONS, description: "What to do" },
    session_id: SESSION_NAME_INPUT,
    message_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "get, update, delete, reorder, interrupt: which message",
    },
    content: {
      type: "string",
      description: "create, update, send_now: what it says",
    },
    goal: {
      type: "string",
      description: "create, update, send_now: what is to be reached from then",
    },
    position: {
      type: "integer",
      minimum: 1,
      maximum: 1_000_000,
      description: "reorder: its place from 1",
    },
    acting_session_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "create, interrupt, send_now: your own id; records you as its senior",
    },
    page: { ...PAGE_INPUT, description: "list: which page, from 1" },
    per_page: {
      ...PER_PAGE_INPUT,
      description: "list: messages of a page, 25 by default",
    },
  }, ["action", "session_id"]),
  output: withOptional(DONE, { messages: listOf(MESSAGE) }),
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const session = await findTarget(services, args.session_id);
    const { action } = args;
    const message = () => ({
      sessionId: session.id,
      messageId: needed(args.message_id, "message_id", action),
    });
    const said = () => ({
      content: needed(args.content, "content", action),
      goal: args.goal,
      actingSessionId: args.acting_session_id,
    });
    switch (action) {
      case "list":
      case "get": {
        const db = await services.store.db();
        await assertReach(db, caller, session.id);
        await assertWithin(fleet, caller, session, "reading its queue");
        if (action === "get") {
          const { messageId } = message();
          const found = await findMessage(db, session.id, messageId);
          if (found === undefined) throw notThere(messageId, session.id);
          const text = new Markdown().heading(2, md`Message ${found.id}`);
          describe(text, found);
          text.quote(found.content);
          return new Written(text.text, {
            ...facts(action, session, { message_id: found.id }),
            messages: [messageShape(found)],
          });
        }
        const { page = 1, per_page: perPage = 25 } = args;
        const counts = await countMessages(db, session.id);
        const messages = await listMessages(db, session.id, {
          characters: PREVIEW_CHARACTERS + 1,
          limit: perPage,
          offset: (page - 1) * perPage,
        });
        const text = new Markdown().heading(
          2,
          md`Queue of session ${session.id}`,
        ).line(
          md`${counts.pending} pending, ${counts.processing} being delivered, ${counts.undelivered} undelivered; page ${page} of ${
            Math.max(1, Math.ceil(counts.total / perPage))
          }`,
        );
        for (const one of messages) {
          text.item(
            md`${one.position ?? "–"}. #${one.id} ${one.status}, ${one.origin}${
              one.goal === null ? "" : ", with a goal"
            }, ${one.characters} characters: ${
              preview(one.content, PREVIEW_CHARACTERS)
            }`,
          );
        }
        return new Written(text.text, {
          ...facts(action, session, { pending: counts.pending }),
          messages: messages.map(messageShape),
        });
      }
      case "create":
      case "send_now":
      case "interrupt": {
        const delivery = action === "interrupt"
          ? await interruptWith(
            fleet,
            caller,
            message(),
            args.acting_session_id,
          )
          : action === "create"
          ? await createMessage(fleet, caller, session.id, said())
          : await sendNow(fleet, caller, session.id, said());
        const heading = {
          create: "Message Queued",
          send_now: "Message Sent",
          interrupt: "Message Sent First",
        }[action];
        return new Written(
          sessionReceipt(heading, delivery.session, deliveryFields(delivery))
            .text,
          deliveryFacts(action, delivery),
        );
      }
      case "update": {
        if (args.content === undefined && args.goal === undefined) {
          throw new ToolError("Action update needs content or goal");
        }
        const edited = await editMessage(fleet, caller, message(), {
          content: args.content,
          goal: args.goal,
        });
        return new Written(
          sessionReceipt("Message Updated", session, [
            ["Message ID", edited.id],
            ["Message", preview(edited.content, PREVIEW_CHARACTERS)],
            ["Goal", edited.goal === null ? "none" : preview(edited.goal, 200)],
          ]).text,
          facts(action, session, { message_id: edited.id }),
        );
      }
      case "delete": {
        const removed = await removeMessage(fleet, caller, message());
        return new Written(
          sessionReceipt("Message Deleted", removed.session, [
            ["Message ID", removed.message.id],
            ["Queue", `${removed.pending} pending`],
          ]).text,
          facts(action, removed.session, {
            message_id: removed.message.id,
            pending: removed.pending,
          }),
        );
      }
      case "reorder": {
        const moved = await reorderMessage(
          fleet,
          caller,
          message(),
          needed(args.position, "position", action),
        );
        return new Written(
          sessionReceipt("Message Moved", session, [
            ["Message ID", moved.id],
            ["Position", moved.position ?? undefined],
          ]).text,
          facts(action, session, { message_id: moved.id }),
        );
      }
    }
  },
});

function needed<T>(value: T | undefined, name: string, action: string): T {
  if (value !== undefined) return value;
  throw new ToolError(`${action} needs ${name}. Nothing was changed`);
}

function notThere(messageId: number, sessionId: number): ToolError {
  return new ToolError(
    `Message ${messageId} is not in the queue of session ${sessionId}; it may have been delivered`,
    { reason: "not_found" },
  );
}

function describe(text: Markdown, message: QueuedMessage): void {
  text.field("Position", message.position ?? "none")
    .field("Status", message.status)
    .field("Origin", message.origin)
    .field("Queued", isoTime(message.createdAt))
    .field("Characters", message.characters)
    .field("Goal", message.goal ?? "none");
}

function messageShape(message: QueuedMessage): ValueOf<typeof MESSAGE> {
  const { id, position, status, origin } = message;
  return { id, position, status, origin };
}
