/**
 * Conditions in the form of a trigger: those that it has and those that are
 * added, each with the fields of its type, or as JSON.
 *
 * It is taken without scripts: adding one and leaving one out bring the form
 * again with all that was written in it.
 *
 * @module
 */
import {
  checkConfiguration,
  type Configuration,
  SETTABLE_TYPES,
} from "../../../fleet/mod.ts";
import type { TriggerWithConditions } from "../../../store/triggers/mod.ts";
import { text } from "../format.ts";
import { type Html, markup } from "../markup.ts";
import { note } from "../parts.ts";
import { type FieldLists, fieldOf, type FormFields } from "../read_form.ts";
import { refusalOf } from "../refusal_page.ts";
import {
  CONDITION_FIELDS,
  type ConditionField,
  configurationOf,
  fieldOfRefusal,
  isSettable,
  type SettableType,
  TYPE_NAMES,
  valuesOf,
} from "./condition_fields.ts";

/** A condition as its part of the form stands. */
export interface ConditionDraft {
  /** What its fields' names begin with. */
  readonly key: string;
  /** Its number; undefined for one that is added. */
  readonly id?: number;
  /** Its type. */
  readonly type: SettableType;
  /** What its fields hold. */
  readonly values: FieldLists;
  /** What was written as JSON; it wins over the fields. */
  readonly json: string;
  /** Whether it is to be taken away. */
  readonly isRemoved: boolean;
}

/** What is wrong with a condition of a form. */
export interface ConditionRefusal {
  /** Which one. */
  readonly key: string;
  /** The field; undefined where it is about the whole. */
  readonly field: string | undefined;
  /** Why. */
  readonly message: string;
}

/** Conditions that a form adds at most. */
const MAX_ADDED = 20;

/** The conditions of a form that was sent, or of a trigger that nobody changed. */
export function draftsOf(
  { fields, lists, found }: {
    readonly fields: FormFields;
    readonly lists: FieldLists;
    readonly found: TriggerWithConditions | undefined;
  },
): readonly ConditionDraft[] {
  const draft = (
    key: string,
    type: SettableType,
    before: Configuration | undefined,
  ): ConditionDraft => ({
    key,
    type,
    values: lists[`${key}.sent`] !== undefined
      ? Object.fromEntries(
        CONDITION_FIELDS[type].map(({ name }) => [
          name,
          lists[`${key}.${name}`] ?? [],
        ]),
      )
      : valuesOf(type, before),
    json: String(fields[`${key}.json`] ?? ""),
    isRemoved: fieldOf(fields, `${key}.remove`) !== undefined,
  });
  const kept = (found?.conditions ?? []).flatMap((
    { id, type, configuration },
  ) =>
    isSettable(type) ? [{ ...draft(`c${id}`, type, configuration), id }] : []
  );
  const added = (lists.added ?? []).slice(0, MAX_ADDED).flatMap(
    (type, at) =>
      isSettable(type) && fields.drop !== `n${at}`
        ? [draft(`n${at}`, type, undefined)]
        : [],
  );
  const more = fields.do === "add" ? fieldOf(fields, "add-type") ?? "" : "";
  // Numbered anew: keys say the place among those that are sent next.
  return [...kept, ...added, ...isSettable(more) ? [newDraft(more)] : []]
    .map((one, at) =>
      "id" in one ? one : { ...one, key: `n${at - kept.length}` }
    );
}

/** Whether a form was sent to have more or fewer conditions, and nothing else. */
export function isOnlyRedrawn(fields: FormFields): boolean {
  return fields.do === "add" || fields.drop !== undefined;
}

/** The condition that a form begins with. */
export function newDraft(type: SettableType): ConditionDraft {
  const values = valuesOf(type, undefined);
  return { key: "n0", type, values, json: "", isRemoved: false };
}

/** What a draft is configured with, or what is wrong with it. */
export function readDraft(
  { key, type, values, json, isRemoved }: ConditionDraft,
): { readonly configuration: Configuration } | ConditionRefusal {
  const refused = (message: string, field?: string) => ({
    key,
    field,
    message,
  });
  let configuration = configurationOf(type, values);
  if (json.trim() !== "") {
    try {
      const value: unknown = JSON.parse(json);
      if (
        typeof value !== "object" || value === null || Array.isArray(value)
      ) throw new SyntaxError("It is no object");
      configuration = { ...value };
    } catch {
      return refused(
        "This is no JSON object, such as {}. Nothing was changed.",
        "json",
      );
    }
  }
  if (isRemoved) return { configuration };
  try {
    checkConfiguration(type, configuration);
    return { configuration };
  } catch (error) {
    const message = refusalOf(error);
    if (message === undefined) throw error;
    return refused(
      message,
      json.trim() === "" ? fieldOfRefusal(type, message) : "json",
    );
  }
}

/** A condition's part of the form. */
export function conditionPart(
  { key, id, type, values, json, isRemoved }: ConditionDraft,
  { refusal, isOnly }: {
    readonly refusal: ConditionRefusal | undefined;
    /** Whether there is no other: it cannot be taken away. */
    readonly isOnly: boolean;
  },
): Html {
  const wrong = refusal?.key === key ? refusal : undefined;
  const told = (field: string | undefined) =>
    wrong !== undefined && wrong.field === field &&
    markup`<div id="${key}.wrong">${note("bad", text(wrong.message))}</div>`;
  const marks = (field: string) =>
    wrong?.field === field &&
    markup` aria-invalid="true" aria-describedby="${key}.wrong"`;
  return markup`<fieldset><legend>${TYPE_NAMES[type]}</legend>
  <input type="hidden" name="${key}.sent" value="1">
  ${
    id === undefined &&
    markup`<input type="hidden" name="added" value="${type}">`
  }
  ${told(undefined)}${
    CONDITION_FIELDS[type].map((field) =>
      markup`${
        input(field, {
          id: `${key}.${field.name}`,
          values: values[field.name] ?? [],
          marks: marks(field.name),
        })
      }${told(field.name)}`
    )
  }
  <details${json !== "" && " open"}><summary>As JSON</summary>
  <label for="${key}.json">What exactly; it wins over the fields above</label>
  <textarea id="${key}.json" name="${key}.json" rows="4" spellcheck="false"${
    marks("json")
  }>${json}</textarea>${told("json")}</details>
  ${
    id === undefined
      ? !isOnly &&
        markup`<button name="drop" value="${key}" class="quiet" formnovalidate>Leave it out</button>`
      : !isOnly &&
        markup`<div class="check"><input type="checkbox" id="${key}.remove" name="${key}.remove" value="1"${
          isRemoved && " checked"
        }><label for="${key}.remove">Take it away</label></div>`
  }</fieldset>`;
}

/** What adds a condition to the form. */
export function addPart(): Html {
  return markup`<div class="buttons"><label for="add-type">Or when there is</label>
  <select id="add-type" name="add-type">${
    SETTABLE_TYPES.map((one) =>
      markup`<option value="${one}">${TYPE_NAMES[one]}</option>`
    )
  }</select>
  <button name="do" value="add" class="quiet" formnovalidate>Add it to the form</button></div>`;
}

function input(
  { label, kind, options = [], hint }: ConditionField,
  { id, values, marks }: {
    readonly id: string;
    readonly values: readonly string[];
    readonly marks: Html | false;
  },
): Html {
  const words = markup`${label}${
    hint !== undefined && markup` <span class="muted">${hint}</span>`
  }`;
  const [value = ""] = values.slice(-1);
  switch (kind) {
    case "flag":
      return markup`<div class="check"><input type="checkbox" id="${id}" name="${id}" value="1"${
        value !== "" && " checked"
      }${marks}><label for="${id}">${words}</label></div>`;
    case "choices":
      return markup`<fieldset${marks}><legend>${words}</legend>${
        options.map(([one, name]) =>
          markup`<div class="check"><input type="checkbox" id="${id}.${one}" name="${id}" value="${one}"${
            values.includes(one) && " checked"
          }><label for="${id}.${one}">${name}</label></div>`
        )
      }</fieldset>`;
    case "choice":
      return markup`<label for="${id}">${words}</label><select id="${id}" name="${id}"${marks}>${
        options.map(([one, name]) =>
          markup`<option value="${one}"${
            one === value && " selected"
          }>${name}</option>`
        )
      }</select>`;
    case "time":
    case "datetime-local":
      return markup`<label for="${id}">${words}</label><input id="${id}" name="${id}" type="${kind}" value="${value}"${marks}>`;
    default:
      return markup`<label for="${id}">${words}</label><input id="${id}" name="${id}" value="${value}"${
        kind === "number" && markup` inputmode="numeric"`
      } autocapitalize="none" spellcheck="false"${marks}>`;
  }
}
