/**
 * `/triggers/ID` and `/triggers/new`: one trigger with what it did, and the
 * forms that change it.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../../catalog/mod.ts";
import {
  createTrigger,
  describeConfiguration,
  invokeTrigger,
  removeTrigger,
  type SavedTrigger,
  SETTABLE_TYPES,
  showTrigger,
  toggleTrigger,
  type TriggerView,
  UNRESTRICTED,
  updateTrigger,
} from "../../../fleet/mod.ts";
import type { TriggerCondition } from "../../../store/triggers/mod.ts";
import { fleetOf } from "../../fleet.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { longText, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { facts, link, note, panel, state, table } from "../parts.ts";
import { fieldOf } from "../read_form.ts";
import { refusalOf, refusalPage } from "../refusal_page.ts";
import {
  isSettable,
  type SettableType,
  TYPE_NAMES,
} from "./condition_fields.ts";
import {
  type ConditionDraft,
  type ConditionRefusal,
  draftsOf,
  isOnlyRedrawn,
  newDraft,
} from "./condition_form.ts";
import { requestOf, type TriggerFields, triggerForm } from "./trigger_form.ts";
import { TRIGGER_TONES } from "./triggers_page.ts";

const NOTHING = markup``;

/** What a page says above all else. */
interface Told {
  readonly refused?: string;
  readonly done?: Html;
  /** What was written in the form, where it was sent. */
  readonly written?: Omit<TriggerFields, "found">;
}

/** The page of a new one. */
export async function newTriggerPage(
  services: Services,
  { c, person }: Pick<PageCall, "c" | "person">,
  { refused, written }: Told = {},
): Promise<Page> {
  const asked = c.req.query("type") ?? "";
  const type = isSettable(asked) ? asked : "schedule";
  return {
    title: "Make a trigger",
    status: refused === undefined ? 200 : 400,
    body: markup`${alert(refused)}${
      person.barred === undefined
        ? markup`${written === undefined && typeLinks(type)}${
          triggerForm(written ?? { fields: {}, drafts: [newDraft(type)] }, {
            action: `${PATHS.triggers}/new`,
            catalog: await catalogOf(services),
          })
        }`
        : note("warn", `${person.barred}.`)
    }`,
  };
}

/** What a new one may wait for first. */
function typeLinks(current: SettableType): Html {
  return markup`<nav class="views" aria-label="What it waits for"><ul>${
    SETTABLE_TYPES.map((one) =>
      markup`<li><a href="${link(`${PATHS.triggers}/new`, { type: one })}"${
        one === current && markup` aria-current="true"`
      }>${TYPE_NAMES[one]}</a></li>`
    )
  }</ul></nav>`;
}

/** Makes one: its page, or the form again with what is wrong. */
export async function takeNewTrigger(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const { fields, lists } = call;
  const drafts = draftsOf({ fields, lists, found: undefined });
  const again = (refused?: string, refusal?: ConditionRefusal) =>
    newTriggerPage(services, call, {
      ...(refused === undefined ? {} : { refused }),
      written: { fields, drafts, refusal },
    });
  if (isOnlyRedrawn(fields)) return await again();
  const request = requestOf({ fields, drafts });
  if ("key" in request) return await again(request.message, request);
  try {
    const saved = await createTrigger(services, UNRESTRICTED, request);
    return savedPage(call, saved);
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return await again(refused);
  }
}

/** The page of one. */
export async function triggerPage(
  services: Services,
  { c, person, now }: PageCall,
  told: Told = {},
): Promise<Page> {
  const id = Number(c.req.param("id"));
  try {
    const view = await showTrigger(services, UNRESTRICTED, id);
    return {
      title: `Trigger ${id}`,
      status: told.refused === undefined ? 200 : 400,
      body: await body(services, view, {
        told,
        mayWrite: person.barred === undefined,
        now,
      }),
    };
  } catch (error) {
    return refusalPage("Trigger", error);
  }
}

/** Changes one: its page, or that with what is wrong. */
export async function changeTrigger(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const id = Number(call.c.req.param("id"));
  const { fields, lists } = call;
  let drafts: readonly ConditionDraft[] | undefined;
  const again = (refused?: string, refusal?: ConditionRefusal) =>
    triggerPage(services, call, {
      ...(refused === undefined ? {} : { refused }),
      ...(drafts === undefined ? {} : { written: { fields, drafts, refusal } }),
    });
  try {
    switch (fieldOf(fields, "do")) {
      case "toggle":
        await toggleTrigger(services, UNRESTRICTED, id);
        break;
      case "invoke": {
        const { text: said, sessionId } = await invokeTrigger(
          fleetOf(services),
          UNRESTRICTED,
          id,
        );
        return await triggerPage(services, call, {
          done: markup`${text(said)}.${
            sessionId !== undefined && sessionId !== null &&
            markup` <a href="${PATHS.sessions}/${sessionId}">Session ${sessionId}</a>`
          }`,
        });
      }
      case "delete":
        await removeTrigger(services, UNRESTRICTED, id);
        return PATHS.triggers;
      default: {
        const found = await showTrigger(services, UNRESTRICTED, id);
        drafts = draftsOf({ fields, lists, found });
        if (isOnlyRedrawn(fields)) return await again();
        const request = requestOf({ fields, drafts });
        if ("key" in request) return await again(request.message, request);
        const saved = await updateTrigger(
          services,
          UNRESTRICTED,
          id,
          request,
        );
        return savedPage(call, saved);
      }
    }
    return `${PATHS.triggers}/${id}`;
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return await again(refused);
  }
}

/** Where to go; a secret that was made is shown before, and only here. */
function savedPage(
  call: FormCall,
  { trigger, secrets }: SavedTrigger,
): Page | string {
  const path = `${PATHS.triggers}/${trigger.id}`;
  const made = secrets.filter(({ secret, signingKey }) =>
    secret !== undefined || signingKey !== undefined
  );
  if (made.length === 0) return path;
  const { origin } = new URL(call.c.req.url);
  return {
    title: `Trigger ${trigger.id}: its address`,
    body: markup`${
      note("warn", "This is shown only here: keep it where the sender has it.")
    }${
      made.map(({ conditionId, secret, signingKey }) =>
        facts([
          ["Condition", String(conditionId)],
          ...(secret === undefined ? [] : [
            [
              "Address",
              markup`<code>${origin}/hooks/${secret}</code>`,
            ] as const,
          ]),
          ...(signingKey === undefined ? [] : [
            ["Signing key", markup`<code>${signingKey}</code>`] as const,
          ]),
        ])
      )
    }<p><a href="${path}">To the trigger</a></p>`,
  };
}

async function body(
  services: Services,
  view: TriggerView,
  { told, mayWrite, now }: {
    readonly told: Told;
    readonly mayWrite: boolean;
    readonly now: number;
  },
): Promise<Html> {
  const { trigger, conditions, warnings } = view;
  const path = `${PATHS.triggers}/${trigger.id}`;
  const isWake = trigger.wakeSessionId !== null;
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet">${label}</button>`;
  return markup`
${alert(told.refused)}${
    told.done !== undefined &&
    markup`<div role="status">${note("good", told.done)}</div>`
  }${warnings.map((one) => note("warn", text(`${one}.`)))}
${
    panel(
      "h-trigger",
      text(trigger.name),
      state(trigger.status, TRIGGER_TONES[trigger.status] ?? "calm"),
      [
        markup`${
          trigger.lastError !== null && note("bad", text(trigger.lastError))
        }<ul>${
          conditions.map((one) =>
            markup`<li>${sentenceOf(one, now)}${
              one.pollError !== null &&
              markup` <span class="reason">${text(one.pollError)}</span>`
            }</li>`
          )
        }</ul><p class="long">${longText(trigger.promptTemplate)}</p>`,
        facts([
          ["Root", text(trigger.agentRootName ?? "none: it wakes a session")],
          ["Sessions", String(trigger.sessionsCreatedCount)],
          ["Last fired", time(trigger.lastTriggeredAt, now)],
        ]),
        mayWrite
          ? markup`<form class="buttons" method="post" action="${path}">${
            button("invoke", "Fire it now")
          }${
            button(
              "toggle",
              trigger.status === "enabled" ? "Switch off" : "Switch on",
            )
          }<details><summary>Delete</summary>${
            button("delete", "Delete it for good")
          }</details></form>`
          : NOTHING,
      ],
    )
  }
${past(view, now)}
${
    mayWrite && !isWake &&
    markup`<details${
      told.written !== undefined && " open"
    }><summary>Change it</summary>${
      triggerForm({
        ...(told.written ?? {
          fields: {},
          drafts: draftsOf({ fields: {}, lists: {}, found: view }),
        }),
        found: view,
      }, {
        action: path,
        catalog: await catalogOf(services),
      })
    }</details>`
  }`;
}

/** What a condition does, as a sentence. */
function sentenceOf(one: TriggerCondition, now: number): Html {
  const what = describeConfiguration(one);
  if (one.type !== "schedule") {
    return markup`It runs ${one.type !== "system_event" && "on "}${
      text(what)
    }.`;
  }
  return markup`It runs ${text(what)}${
    one.dueAt === null
      ? "; that is over."
      : markup`, next ${time(one.dueAt, now)}.`
  }`;
}

function past({ sessions, firings }: TriggerView, now: number): Html {
  if (sessions.length === 0 && firings.length === 0) return NOTHING;
  return markup`<div class="columns"><div>${
    panel("h-firings", "Firings", NOTHING, [
      table("The latest firings", [{ label: "When" }, {
        label: "What came of it",
      }], [
        ...firings.map((one) => [
          time(one.at, now),
          markup`<span class="wrap">${text(one.outcome)}</span>`,
        ]),
      ]),
    ])
  }</div><div>${
    panel("h-sessions", "Sessions", NOTHING, [
      table("The latest sessions", [{ label: "Session" }, { label: "State" }], [
        ...sessions.map((one) => [
          markup`<a href="${PATHS.sessions}/${one.id}">#${one.id} ${
            text(one.title)
          }</a>`,
          one.status,
        ]),
      ]),
    ])
  }</div></div>`;
}

function alert(refused: string | undefined): Html {
  return refused === undefined
    ? NOTHING
    : markup`<div role="alert">${note("bad", text(refused))}</div>`;
}

async function catalogOf(
  { catalog }: Services,
): Promise<CatalogSnapshot | undefined> {
  try {
    return await catalog.current();
  } catch {
    return undefined;
  }
}
