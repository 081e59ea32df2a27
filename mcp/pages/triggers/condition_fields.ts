/**
 * What conditions are asked for in a form, type by type, and the configuration
 * that its fields mean.
 *
 * @module
 */
import {
  type Configuration,
  GITHUB_TARGETS,
  MISSED_RULES,
  SCHEDULE_UNITS,
  SETTABLE_TYPES,
  SLACK_EVENTS,
  SYSTEM_EVENTS,
  WEEK_DAYS,
} from "../../../fleet/mod.ts";
import type { FieldLists } from "../read_form.ts";

/** A type that a person may choose. */
export type SettableType = typeof SETTABLE_TYPES[number];

/** A field of a condition. */
export interface ConditionField {
  /** As the configuration has it. */
  readonly name: string;
  /** What people read. */
  readonly label: string;
  /**
   * `text`, `time` and `datetime-local` are texts, `list` is several between
   * commas, `number` a number, `choice` one of the options and `choices` any of
   * them, `flag` is on or off.
   */
  readonly kind:
    | "text"
    | "time"
    | "datetime-local"
    | "list"
    | "number"
    | "choice"
    | "choices"
    | "flag";
  /** What may be chosen, and how it is called. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** What it is, in more words. */
  readonly hint?: string;
  /** What a new one begins with. */
  readonly standard?: string;
}

/** What the types are called. */
export const TYPE_NAMES: Readonly<Record<SettableType, string>> = {
  schedule: "A time",
  github_label: "A label on GitHub",
  github_issue: "An issue on GitHub",
  slack: "A message on Slack",
  webhook: "A call from another program",
  system_event: "An event of this server",
};

/** The unit of a form for what happens once; configurations have no such. */
const ONCE = "once";

const named = (words: readonly string[]) =>
  words.map((one) => [one, one.replaceAll("_", " ")] as const);

const REPOS: ConditionField = {
  name: "repos",
  label: "Repositories",
  kind: "list",
  hint: "owner/name, with commas between several",
};
const TARGET: ConditionField = {
  name: "target",
  label: "On",
  kind: "choice",
  options: named(GITHUB_TARGETS),
};
const EXCLUDED: ConditionField = {
  name: "exclude_labels",
  label: "But not with the labels",
  kind: "list",
};

/** The fields of each type, in their order. */
export const CONDITION_FIELDS: Readonly<
  Record<SettableType, readonly ConditionField[]>
> = {
  schedule: [
    {
      name: "interval",
      label: "Every",
      kind: "number",
      standard: "1",
      hint: "a whole number; not for what happens once",
    },
    {
      name: "unit",
      label: "Unit",
      kind: "choice",
      options: [...named(SCHEDULE_UNITS), [ONCE, "not again: once"]],
      standard: "days",
    },
    {
      name: "time",
      label: "At",
      kind: "time",
      hint: "of days and weeks",
      standard: "09:00",
    },
    {
      name: "day_of_week",
      label: "On",
      kind: "choice",
      options: [["", "–"], ...named(WEEK_DAYS)],
      hint: "of weeks",
    },
    {
      name: "scheduled_at",
      label: "Once at",
      kind: "datetime-local",
      hint: "of what happens once",
    },
    {
      name: "timezone",
      label: "Zone",
      kind: "text",
      standard: "UTC",
      hint: "such as Europe/Berlin: its clock is meant, summer and winter",
    },
    {
      name: "missed",
      label: "What was missed while no server ran",
      kind: "choice",
      options: MISSED_RULES.map((one) =>
        [one, one === "once" ? "is made up for once" : "is skipped"] as const
      ),
    },
  ],
  github_label: [
    REPOS,
    { name: "labels", label: "Any of the labels", kind: "list" },
    TARGET,
    EXCLUDED,
  ],
  github_issue: [
    REPOS,
    {
      name: "labels",
      label: "With any of the labels",
      kind: "list",
      hint: "empty: with any or none",
    },
    TARGET,
    EXCLUDED,
  ],
  slack: [
    {
      name: "channel_id",
      label: "Channel",
      kind: "text",
      hint: "its id, such as C0123456789",
    },
    { name: "channel_name", label: "Its name here", kind: "text" },
    {
      name: "event_type",
      label: "What counts",
      kind: "choice",
      options: SLACK_EVENTS.map((one) =>
        [
          one,
          one === "mention" ? "mentions of the bot" : "every message",
        ] as const
      ),
    },
    {
      name: "from_users",
      label: "Of these people only",
      kind: "list",
      hint: "ids such as U0123456789; empty: of everybody",
    },
  ],
  webhook: [
    {
      name: "signed",
      label: "Calls are signed with a key that is shown once",
      kind: "flag",
    },
  ],
  system_event: [
    {
      name: "event_names",
      label: "Any of",
      kind: "choices",
      options: named(SYSTEM_EVENTS),
    },
  ],
};

/** Whether a person may choose a type. */
export function isSettable(type: string): type is SettableType {
  return SETTABLE_TYPES.some((one) => one === type);
}

/** The values of a stored configuration's fields; of a new one, the standard. */
export function valuesOf(
  type: SettableType,
  configuration: Configuration | undefined,
): FieldLists {
  const values: Record<string, readonly string[]> = {};
  for (const { name, kind, standard } of CONDITION_FIELDS[type]) {
    const value = configuration?.[name];
    if (configuration === undefined) {
      if (standard !== undefined) values[name] = [standard];
    } else if (Array.isArray(value)) {
      values[name] = kind === "list" ? [value.join(", ")] : value.map(String);
    } else if (value !== undefined) values[name] = [String(value)];
  }
  if (configuration?.scheduled_at !== undefined) values.unit = [ONCE];
  return values;
}

/**
 * The configuration that fields mean. What is empty is left out, and a list that
 * is empty is an empty list: nothing is narrowed or widened without being said.
 */
export function configurationOf(
  type: SettableType,
  values: FieldLists,
): Configuration {
  const configuration: Record<string, unknown> = {};
  for (const { name, kind } of CONDITION_FIELDS[type]) {
    const given = values[name] ?? [];
    const text = given.at(-1)?.trim() ?? "";
    if (kind === "list") {
      configuration[name] = text.split(/[,\n]/).map((one) => one.trim())
        .filter((one) => one !== "");
    } else if (kind === "choices") configuration[name] = given;
    else if (kind === "flag") {
      if (text !== "") configuration[name] = true;
    } else if (text !== "") {
      // What is no number stays a text, so that the check names it.
      const figure = Number(text);
      configuration[name] = kind === "number" && !Number.isNaN(figure)
        ? figure
        : text;
    }
  }
  // The fields of a schedule begin filled in, those that do not go with it too.
  const { unit, timezone, missed, scheduled_at = "" } = configuration;
  if (unit === ONCE) return { scheduled_at, timezone, missed };
  if (unit === "minutes" || unit === "hours") delete configuration.time;
  return configuration;
}

/** The field that a refusal is about; undefined where it names none. */
export function fieldOfRefusal(
  type: SettableType,
  message: string,
): string | undefined {
  const words = message.replace(`${type}: `, "");
  const places = CONDITION_FIELDS[type].map(({ name }) => ({
    name,
    at: words.search(new RegExp(`\\b${name}\\b`)),
  }));
  return places.filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)[0]?.name;
}
