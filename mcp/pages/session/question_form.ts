/**
 * The form of a question that an agent asks, made of the schema of its answer.
 *
 * Agents ask for flat objects: texts, numbers, yes or no, and choices. What is
 * none of these is answered in JSON. Names and texts of the schema are the
 * agent's: they stay texts.
 *
 * @module
 */
import type { Elicitation } from "../../../store/around_sessions/mod.ts";
import type { FieldLists } from "../read_form.ts";
import { longText, text, time } from "../format.ts";
import { type Html, markup } from "../markup.ts";
import { note } from "../parts.ts";

/** Fields of a form at most. */
const MAX_FIELDS = 50;
/** What browsers have a field of its own for, by the format of a text. */
const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  date: "date",
};
/** Choices of a field at most. */
const MAX_CHOICES = 200;

type Schema = Readonly<Record<string, unknown>>;

/** A field of a form. */
interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "boolean" | "choice" | "choices" | "json";
  readonly choices: readonly {
    readonly value: string;
    readonly title: string;
  }[];
}

/** What a form is shown with. */
export interface QuestionLook {
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
  /** Whether whoever looks may answer. */
  readonly mayAnswer: boolean;
  /** What was written in it and refused. */
  readonly draft?: FieldLists | undefined;
}

/** The form. `action` is where it is sent to. */
export function questionForm(
  question: Elicitation,
  action: string,
  { now, mayAnswer, draft }: QuestionLook,
): Html {
  const { id, message, context, mode } = question;
  const fields = fieldsOf(question);
  return markup`
<form class="write question" method="post" action="${action}"${
    draft !== undefined && " data-draft"
  }>
  <p class="long"><strong>${longText(message)}</strong></p>
  ${context !== null && markup`<p class="long">${longText(context)}</p>`}
  <p class="muted">${
    question.toolName !== null && markup`Asked by ${text(question.toolName)}. `
  }Open until ${time(question.expiresAt, now)}</p>
  ${
    mode === "url"
      ? note(
        "calm",
        "It is answered at the address that it names, and not here.",
      )
      : markup`${
        fields.map((field, at) =>
          input(field, {
            at,
            id: `q${id}-${at}`,
            values: draft === undefined
              ? standardOf(field)
              : draft[`f${at}`] ?? [],
          })
        )
      }`
  }
  ${
    mayAnswer && markup`<div class="buttons">${
      mode === "form" &&
      markup`<button name="action" value="accept">Answer</button>`
    }
    <button name="action" value="decline" class="quiet" formnovalidate>Decline</button>
    <button name="action" value="cancel" class="quiet" formnovalidate>Call it off</button></div>`
  }
</form>`;
}

/**
 * The answer that a form's fields hold, as the schema has its values; what was
 * left empty is left out. What is no number stays a text, so that the check
 * names it.
 */
export function answerOf(
  question: Elicitation,
  lists: FieldLists,
): Readonly<Record<string, unknown>> {
  const answer: Record<string, unknown> = {};
  for (const [at, field] of fieldsOf(question).entries()) {
    const values = lists[`f${at}`] ?? [];
    const [value = ""] = values;
    const isEmpty = value.trim() === "";
    switch (field.kind) {
      case "boolean":
        answer[field.name] = value === "true";
        break;
      case "choices":
        if (values.length > 0 || field.isRequired) answer[field.name] = values;
        break;
      case "number":
        if (!isEmpty) {
          const figure = Number(value);
          answer[field.name] = Number.isNaN(figure) ? value : figure;
        }
        break;
      case "json":
        if (!isEmpty) answer[field.name] = jsonOr(value);
        break;
      default:
        if (!isEmpty) answer[field.name] = value;
    }
  }
  return answer;
}

function fieldsOf({ requestedSchema }: Elicitation): readonly Field[] {
  const properties = recordOf(requestedSchema.properties);
  const required = Array.isArray(requestedSchema.required)
    ? requestedSchema.required
    : [];
  return Object.entries(properties).slice(0, MAX_FIELDS).map(
    ([name, given]) => {
      const schema = recordOf(given);
      const items = recordOf(schema.items);
      const own = choicesOf(schema);
      const ofItems = choicesOf(items);
      const kind = own.length > 0
        ? "choice"
        : schema.type === "array" && ofItems.length > 0
        ? "choices"
        : schema.type === "boolean"
        ? "boolean"
        : schema.type === "number" || schema.type === "integer"
        ? "number"
        : schema.type === "string"
        ? "text"
        : "json";
      return {
        name,
        schema,
        kind,
        isRequired: required.includes(name),
        choices: own.length > 0 ? own : ofItems,
      };
    },
  );
}

/** `enum` with `enumNames`, or `oneOf` and `anyOf` with `const` and `title`. */
function choicesOf(schema: Schema): Field["choices"] {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.slice(0, MAX_CHOICES).map((value, at) => ({
      value: String(value),
      title: String(names[at] ?? value),
    }));
  }
  const options = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [];
  return options.slice(0, MAX_CHOICES).map(recordOf)
    .filter((one) => one.const !== undefined)
    .map((one) => ({
      value: String(one.const),
      title: String(one.title ?? one.const),
    }));
}

/** What a field holds at first. */
function standardOf({ schema }: Field): readonly string[] {
  const { default: standard } = schema;
  if (standard === undefined) return [];
  const all = Array.isArray(standard) ? standard : [standard];
  return all.map((one) => typeof one === "string" ? one : JSON.stringify(one));
}

function input(field: Field, { at, id, values }: {
  readonly at: number;
  readonly id: string;
  readonly values: readonly string[];
}): Html {
  const { name, schema, kind, choices, isRequired } = field;
  const [value = ""] = values;
  const label = markup`${text(String(schema.title ?? name).slice(0, 200))}${
    !isRequired && markup` <span class="muted">(may be left empty)</span>`
  }`;
  const hint = typeof schema.description === "string"
    ? markup`<p class="muted" id="${id}-hint">${text(schema.description)}</p>`
    : undefined;
  const common = markup` id="${id}" name="f${at}"${
    isRequired && kind !== "boolean" && " required"
  }${hint !== undefined && markup` aria-describedby="${id}-hint"`}`;
  if (kind === "choices") {
    return markup`<fieldset><legend>${label}</legend>${hint}${
      choices.map(({ value, title }, n) =>
        markup`<div class="check"><input type="checkbox" id="${id}-${n}" name="f${at}" value="${value}"${
          values.includes(value) && " checked"
        }><label for="${id}-${n}">${text(title)}</label></div>`
      )
    }</fieldset>`;
  }
  if (kind === "boolean") {
    return markup`<div class="check"><input type="checkbox"${common} value="true"${
      value === "true" && " checked"
    }><label for="${id}">${
      text(String(schema.title ?? name).slice(0, 200))
    }</label></div>${hint}`;
  }
  const head = markup`<label for="${id}">${label}</label>${hint}`;
  if (kind === "choice") {
    // Nothing is chosen for people: an empty choice is none.
    return markup`${head}<select${common}><option value="">${
      isRequired && "Choose…"
    }</option>${
      choices.map((one) =>
        markup`<option value="${one.value}"${
          one.value === value && " selected"
        }>${text(one.title)}</option>`
      )
    }</select>`;
  }
  if (kind === "number") {
    const step = schema.type === "integer" ? "1" : "any";
    return markup`${head}<input type="number" step="${step}"${
      bound("min", schema.minimum)
    }${bound("max", schema.maximum)}${common} value="${value}">`;
  }
  const type = Object.hasOwn(INPUT_TYPES, String(schema.format)) &&
    INPUT_TYPES[String(schema.format)];
  if (kind === "text" && type) {
    return markup`${head}<input type="${type}"${common} value="${value}" dir="auto">`;
  }
  return kind === "json"
    ? markup`${head}<textarea${common} rows="4" spellcheck="false" placeholder="JSON">${value}</textarea>`
    : markup`${head}<textarea${common} rows="2" dir="auto">${value}</textarea>`;
}

function bound(name: "min" | "max", value: unknown): Html | undefined {
  return typeof value === "number" ? markup` ${name}="${value}"` : undefined;
}

function recordOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : {};
}

function jsonOr(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
