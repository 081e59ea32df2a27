/**
 * The form in which a person writes a trigger, and what it means.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../../catalog/mod.ts";
import type { TriggerRequest } from "../../../fleet/mod.ts";
import type { TriggerWithConditions } from "../../../store/triggers/mod.ts";
import { type Html, markup } from "../markup.ts";
import { fieldOf, type FormFields } from "../read_form.ts";
import {
  addPart,
  type ConditionDraft,
  conditionPart,
  type ConditionRefusal,
  readDraft,
} from "./condition_form.ts";

/** The fields of a form as somebody filled them in, or of a trigger. */
export interface TriggerFields {
  readonly fields: FormFields;
  readonly found?: TriggerWithConditions | undefined;
  /** Its conditions. */
  readonly drafts: readonly ConditionDraft[];
  /** What is wrong with one of them. */
  readonly refusal?: ConditionRefusal | undefined;
}

/** The form. */
export function triggerForm(
  { fields, found, drafts, refusal }: TriggerFields,
  { action, catalog }: {
    readonly action: string;
    readonly catalog: CatalogSnapshot | undefined;
  },
): Html {
  const was = found?.trigger;
  const value = (name: string, stored: string | null | undefined) =>
    typeof fields[name] === "string" ? fields[name] : stored ?? "";
  // A box that is off is not sent: what was written says all of them.
  const isWritten = Object.keys(fields).length > 0;
  const check = (name: string, label: string, wasOn: boolean | undefined) =>
    markup`<div class="check"><input type="checkbox" id="${name}" name="${name}" value="1"${
      (isWritten ? fields[name] !== undefined : wasOn === true) && " checked"
    }><label for="${name}">${label}</label></div>`;
  // The first button is what the Enter key presses.
  return markup`
<form class="write panel" method="post" action="${action}">
  <button class="unseen" tabindex="-1" aria-hidden="true">Save</button>
  <label for="name">Name</label>
  <input id="name" name="name" value="${
    value("name", was?.name)
  }" required maxlength="200" dir="auto">
  <label for="root">Agent root of its sessions</label>
  <input id="root" name="root" value="${
    value("root", was?.agentRootName)
  }" list="roots" required autocapitalize="none" spellcheck="false">
  <datalist id="roots">${
    [...catalog?.roots.keys() ?? []].map((one) =>
      markup`<option value="${one}">`
    )
  }</datalist>
  <label for="template">What a session is told</label>
  <textarea id="template" name="template" rows="6" required dir="auto" aria-describedby="template-hint">${
    value("template", was?.promptTemplate)
  }</textarea>
  <p class="muted" id="template-hint">{{link}}, {{text}}, {{author}}, {{title}}, {{time}} and others stand for what the event says, {{body.a.b}} for what a webhook was sent.</p>
  <label for="goal">Goal</label>
  <input id="goal" name="goal" value="${
    value("goal", was?.goal)
  }" placeholder="The root’s" dir="auto">
  ${
    check(
      "reuse",
      "Tell its latest session, where that can be told something",
      was?.reuseSession,
    )
  }
  ${
    check(
      "enqueue",
      "With it: queue what comes while that works",
      was?.enqueueMessages,
    )
  }
  ${
    check(
      "resuscitate",
      "With it: bring back one that is archived",
      was?.resuscitateArchived,
    )
  }
  <label for="most">Sessions of a minute at most</label>
  <input id="most" name="most" inputmode="numeric" value="${
    value("most", was?.maxSessionsPerMinute?.toString())
  }" placeholder="No limit">
  <p>It runs when there is:</p>
  ${
    drafts.map((draft) =>
      conditionPart(draft, { refusal, isOnly: drafts.length === 1 })
    )
  }${addPart()}
  <button type="submit">${found === undefined ? "Make it" : "Save"}</button>
</form>`;
}

/**
 * What a form asks for, or what is wrong with a condition of it. Those that a
 * form does not show stay as they are.
 */
export function requestOf(
  { fields, drafts }: Pick<TriggerFields, "fields" | "drafts">,
): TriggerRequest | ConditionRefusal {
  const conditions: NonNullable<TriggerRequest["conditions"]>[number][] = [];
  for (const draft of drafts) {
    const { id, type, isRemoved } = draft;
    const reading = readDraft(draft);
    if ("message" in reading) return reading;
    const { configuration } = reading;
    conditions.push(
      id === undefined
        ? { type, configuration }
        : isRemoved
        ? { id, remove: true }
        : { id, configuration },
    );
  }
  const most = fieldOf(fields, "most");
  return {
    name: fieldOf(fields, "name"),
    agentRootName: fieldOf(fields, "root"),
    promptTemplate: fieldOf(fields, "template"),
    goal: fieldOf(fields, "goal") ?? null,
    reuseSession: fieldOf(fields, "reuse") !== undefined,
    enqueueMessages: fieldOf(fields, "enqueue") !== undefined,
    resuscitateArchived: fieldOf(fields, "resuscitate") !== undefined,
    maxSessionsPerMinute: most === undefined ? null : Number(most),
    conditions,
  };
}
