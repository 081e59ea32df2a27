/**
 * The form in which a person writes a trigger, and what it means.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../../catalog/mod.ts";
import {
  FleetRefusalError,
  SETTABLE_TYPES,
  type TriggerRequest,
} from "../../../fleet/mod.ts";
import type { TriggerWithConditions } from "../../../store/triggers/mod.ts";
import { text } from "../format.ts";
import { type Html, markup } from "../markup.ts";
import { fieldOf, type FormFields } from "../read_form.ts";

/** A condition beside those that there are, which a form offers to add. */
const NEW = "new";

/** What a condition of a type is configured with, as an example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  schedule:
    '{"interval": 1, "unit": "days", "time": "09:00", "timezone": "Europe/Berlin"}',
  webhook: "{}",
  system_event: '{"event_names": ["runner_lost"]}',
  github_label: '{"repos": ["owner/name"], "labels": ["ready"]}',
  github_issue: '{"repos": ["owner/name"]}',
  slack: '{"channel_id": "C0123"}',
};

/** The fields of a form as somebody filled them in, or of a trigger. */
export interface TriggerFields {
  readonly fields: FormFields;
  readonly found?: TriggerWithConditions | undefined;
}

/** The form. */
export function triggerForm(
  { fields, found }: TriggerFields,
  { action, catalog }: {
    readonly action: string;
    readonly catalog: CatalogSnapshot | undefined;
  },
): Html {
  const was = found?.trigger;
  const value = (name: string, stored: string | null | undefined) =>
    typeof fields[name] === "string" ? fields[name] : stored ?? "";
  const check = (name: string, label: string, isOn: boolean | undefined) =>
    markup`<div class="check"><input type="checkbox" id="${name}" name="${name}" value="1"${
      isOn === true && " checked"
    }><label for="${name}">${label}</label></div>`;
  return markup`
<form class="write panel" method="post" action="${action}">
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
  ${
    found?.conditions.map(({ id, type, configuration }) =>
      condition(`c${id}`, {
        title: `It waits for: ${type}`,
        configuration: value(
          `c${id}`,
          JSON.stringify(configuration, null, 2),
        ),
        removable: found.conditions.length > 1,
      })
    )
  }
  <fieldset><legend>${
    found === undefined ? "It waits for" : "And for (may be left empty)"
  }</legend>
  <label for="type">What</label>
  <select id="type" name="type"${found === undefined && " required"}>${
    found !== undefined && markup`<option value=""></option>`
  }${
    SETTABLE_TYPES.map((one) =>
      markup`<option${fields.type === one && " selected"}>${one}</option>`
    )
  }</select>
  <label for="${NEW}">What exactly, as JSON</label>
  <textarea id="${NEW}" name="${NEW}" rows="4" spellcheck="false" aria-describedby="new-hint">${
    value(NEW, found === undefined ? EXAMPLES.schedule : "")
  }</textarea>
  <div class="muted" id="new-hint">${
    Object.entries(EXAMPLES).map(([type, example]) =>
      markup`<p>${type}: <code>${example}</code></p>`
    )
  }</div></fieldset>
  <button type="submit">${found === undefined ? "Make it" : "Save"}</button>
</form>`;
}

function condition(
  name: string,
  { title, configuration, removable }: {
    readonly title: string;
    readonly configuration: string;
    readonly removable: boolean;
  },
): Html {
  return markup`<fieldset><legend>${text(title)}</legend>
  <label for="${name}">What exactly, as JSON</label>
  <textarea id="${name}" name="${name}" rows="5" spellcheck="false">${configuration}</textarea>${
    removable &&
    markup`<div class="check"><input type="checkbox" id="${name}-remove" name="${name}-remove" value="1"><label for="${name}-remove">Take it away</label></div>`
  }</fieldset>`;
}

/** What a form asks for. @throws {FleetRefusalError} What is no JSON object. */
export function requestOf(
  { fields, found }: TriggerFields,
): TriggerRequest {
  const most = fieldOf(fields, "most");
  const type = fieldOf(fields, "type");
  const added = fieldOf(fields, NEW);
  const edits = (found?.conditions ?? []).map(({ id, type }) =>
    fieldOf(fields, `c${id}-remove`) === undefined
      ? { id, configuration: jsonOf(fieldOf(fields, `c${id}`), type) }
      : { id, remove: true }
  );
  return {
    name: fieldOf(fields, "name"),
    agentRootName: fieldOf(fields, "root"),
    promptTemplate: fieldOf(fields, "template"),
    goal: fieldOf(fields, "goal") ?? null,
    reuseSession: fieldOf(fields, "reuse") !== undefined,
    enqueueMessages: fieldOf(fields, "enqueue") !== undefined,
    resuscitateArchived: fieldOf(fields, "resuscitate") !== undefined,
    maxSessionsPerMinute: most === undefined ? null : Number(most),
    conditions: [
      ...edits,
      ...(type === undefined || (found !== undefined && added === undefined)
        ? []
        : [{ type, configuration: jsonOf(added ?? "{}", type) }]),
    ],
  };
}

function jsonOf(
  given: string | undefined,
  type: string,
): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(given ?? "");
    if (
      typeof value === "object" && value !== null && !Array.isArray(value)
    ) return { ...value };
  } catch {
    // Said below.
  }
  throw new FleetRefusalError(
    "bad_argument",
    `What a ${type} waits for is a JSON object, such as ${
      EXAMPLES[type] ?? "{}"
    }. Nothing was changed`,
  );
}
