/**
 * Takes the forms of a session's page.
 *
 * @module
 */
import {
  type Author,
  changeCategory,
  changeGoal,
  changeList,
  changeModel,
  changePrecedence,
  changeSchedulingClass,
  editMessage,
  FleetRefusalError,
  followUp,
  forkSession,
  interruptWith,
  parkSession,
  pauseSession,
  removeMessage,
  reorderMessage,
  respond,
  RESPONSE_ACTIONS,
  restartSession,
  sendNow,
  setHeartbeat,
  startNow,
  togglePush,
  unarchiveSession,
  UNRESTRICTED,
  updateNotes,
  updateTitle,
} from "../../../fleet/mod.ts";
import { findElicitation } from "../../../store/around_sessions/mod.ts";
import { fleetOf } from "../../fleet.ts";
import type { Services } from "../../services.ts";
import type { FormCall } from "../door.ts";
import { type Page, PATHS } from "../layout.ts";
import { fieldOf } from "../read_form.ts";
import { refusalOf } from "../refusal_page.ts";
import { answerOf } from "./question_form.ts";
import { type Refused, sessionPage } from "./session_page.ts";
import { type ListField, LISTS } from "./settings_panel.ts";

/** Does what a form asks for; where to go then. */
type Act = (services: Services, id: number, call: FormCall) => Promise<unknown>;

/** What the buttons and forms of the page do, by their name. */
const ACTS: Readonly<Record<string, Act>> = {
  pause: (services, id) => pauseSession(services, UNRESTRICTED, id),
  park: (services, id) => parkSession(services, UNRESTRICTED, id, {}),
  restart: (services, id) => restartSession(services, UNRESTRICTED, id),
  start_now: (services, id) => startNow(services, UNRESTRICTED, id),
  unarchive: (services, id) => unarchiveSession(services, id),
  title: (services, id, call) =>
    updateTitle(services, UNRESTRICTED, id, valueOf(call)),
  goal: (services, id, call) =>
    changeGoal(services, UNRESTRICTED, id, valueOf(call)),
  notes: (services, id, call) =>
    updateNotes(services, UNRESTRICTED, id, valueOf(call)),
  model: (services, id, call) =>
    changeModel(services, UNRESTRICTED, id, valueOf(call)),
  push: (services, id) => togglePush(services, UNRESTRICTED, id),
  heartbeat: (services, id, call) =>
    setHeartbeat(services, UNRESTRICTED, id, {
      isEnabled: valueOf(call) === "on",
      intervalSeconds: Number(fieldOf(call.fields, "seconds") ?? NaN),
    }),
  category: (services, id, call) =>
    changeCategory(
      services,
      UNRESTRICTED,
      id,
      valueOf(call) === "" ? null : Number(valueOf(call)),
    ),
  class: changeClass,
  list: (services, id, { fields, lists }) => {
    const list = fieldOf(fields, "list") ?? "";
    if (!Object.hasOwn(LISTS, list)) throw unknownWish(list);
    return changeList(services, UNRESTRICTED, id, {
      list: list as ListField,
      names: lists.names ?? [],
    });
  },
};

/** Takes a button or form of the page. */
export async function act(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const id = idOf(call);
  const wish = fieldOf(call.fields, "do") ?? "";
  return await orAgain(services, call, async () => {
    if (wish === "fork") {
      const turn = fieldOf(call.fields, "turn");
      const { session } = await forkSession(
        services,
        UNRESTRICTED,
        id,
        turn === undefined ? undefined : { turnId: Number(turn) },
      );
      return `${PATHS.sessions}/${session.id}`;
    }
    const known = Object.hasOwn(ACTS, wish) ? ACTS[wish] : undefined;
    if (known === undefined) throw unknownWish(wish);
    await known(services, id, call);
    return `${PATHS.sessions}/${id}`;
  });
}

/** Says something to the session in the name of whoever is signed in. */
export async function tell(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const id = idOf(call);
  const content = textOf(call, "content");
  const said = { content, origin: "person", author: authorOf(call) } as const;
  return await orAgain(services, call, async () => {
    if (fieldOf(call.fields, "do") === "now") {
      await sendNow(services, UNRESTRICTED, id, said);
    } else {
      await followUp(services, UNRESTRICTED, id, said);
    }
    return `${PATHS.sessions}/${id}#queue`;
  }, { draft: content });
}

/** Changes a message of the queue. */
export async function changeMessage(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const sessionId = idOf(call);
  const messageId = Number(call.c.req.param("message"));
  const name = { sessionId, messageId };
  const position = Number(fieldOf(call.fields, "position") ?? NaN);
  const wish = fieldOf(call.fields, "do") ?? "";
  const content = textOf(call, "content");
  return await orAgain(services, call, async () => {
    switch (wish) {
      case "edit":
        await editMessage(services, UNRESTRICTED, name, { content });
        break;
      case "delete":
        await removeMessage(services, UNRESTRICTED, name);
        break;
      case "up":
        await reorderMessage(
          services,
          UNRESTRICTED,
          name,
          Math.max(1, position - 1),
        );
        break;
      case "down":
        await reorderMessage(services, UNRESTRICTED, name, position + 1);
        break;
      case "now":
        await interruptWith(services, UNRESTRICTED, name);
        break;
      default:
        throw unknownWish(wish);
    }
    return `${PATHS.sessions}/${sessionId}#queue`;
  }, wish === "edit" ? { draft: content } : {});
}

/** Answers a question of its agent. */
export async function answer(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const id = idOf(call);
  const number = call.c.req.param("question") ?? "";
  const action = RESPONSE_ACTIONS.find((one) =>
    one === fieldOf(call.fields, "action")
  );
  return await orAgain(services, call, async () => {
    if (action === undefined) throw unknownWish("");
    const db = await services.store.db();
    const question = await findElicitation(db, number);
    if (question === undefined || question.sessionId !== id) {
      throw new FleetRefusalError(
        "not_found",
        `Session ${id} has no question ${number}. Nothing was changed`,
      );
    }
    await respond(fleetOf(services), UNRESTRICTED, question.requestId, {
      action,
      ...(action === "accept"
        ? { content: answerOf(question, call.lists) }
        : {}),
    });
    return `${PATHS.sessions}/${id}`;
  }, { answer: { question: number, fields: call.lists } });
}

async function changeClass(
  services: Services,
  id: number,
  call: FormCall,
): Promise<void> {
  const value = valueOf(call);
  await changeSchedulingClass(services, UNRESTRICTED, id, {
    schedulingClass: value === "spot" || value === "priority" ? value : null,
  });
  const precedence = fieldOf(call.fields, "precedence");
  if (precedence === undefined) return;
  await changePrecedence(services, UNRESTRICTED, id, {
    precedence: Number(precedence),
  });
}

/** Where to go, or the page again with what is wrong. */
async function orAgain(
  services: Services,
  call: FormCall,
  work: () => Promise<string>,
  written: Omit<Refused, "message"> = {},
): Promise<Page | string> {
  try {
    return await work();
  } catch (error) {
    const message = refusalOf(error);
    if (message === undefined) throw error;
    return await sessionPage(services, idOf(call), {
      person: call.person,
      now: call.now,
      refused: { message, ...written },
      status: 409,
    });
  }
}

function authorOf({ person }: FormCall): Author | undefined {
  return person.name === null
    ? undefined
    : { name: person.name, channel: "web_ui" };
}

function idOf({ c }: FormCall): number {
  return Number(c.req.param("id"));
}

/** A text as it was written; blank where there is none. */
function textOf({ fields }: FormCall, name: string): string {
  const value = fields[name];
  // Forms end lines as mail does.
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
}

function valueOf(call: FormCall): string {
  return textOf(call, "value").trim();
}

function unknownWish(wish: string): FleetRefusalError {
  return new FleetRefusalError(
    "bad_argument",
    `The form asks for "${
      wish.slice(0, 40)
    }", which this page does not do. Nothing was changed`,
  );
}
