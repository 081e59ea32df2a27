/**
 * What a condition waits for, in a line. Pure.
 *
 * @module
 */
import type { TriggerCondition } from "../../store/triggers/mod.ts";

/** The line; texts of callers stand in it as they wrote them. */
export function describeCondition(
  { type, configuration, dueAt }: Pick<
    TriggerCondition,
    "type" | "configuration" | "dueAt"
  >,
): string {
  const what = describeConfiguration({ type, configuration });
  if (type !== "schedule") return what;
  return dueAt === null
    ? `${what}; over`
    : `${what}; next ${dueAt.toISOString()}`;
}

/** The same without when it is due. */
export function describeConfiguration(
  { type, configuration }: Pick<TriggerCondition, "type" | "configuration">,
): string {
  return DESCRIBE[type](configuration);
}

type Configuration = Readonly<Record<string, unknown>>;

const DESCRIBE: Readonly<
  Record<TriggerCondition["type"], (configuration: Configuration) => string>
> = {
  schedule: describeSchedule,
  ao_event: ({ event_name, session_id }) =>
    `${event_name} of session ${session_id}`,
  system_event: ({ event_names }) => `on ${listed(event_names)}`,
  webhook: ({ signed }) =>
    signed === true ? "a signed POST to its address" : "a POST to its address",
  slack: ({ channel_id, channel_name, event_type, from_users }) =>
    `${event_type === "mention" ? "a mention" : "a message"} in ${
      channel_name === undefined
        ? channel_id
        : `${channel_name} (${channel_id})`
    }${from_users === undefined ? "" : ` by ${listed(from_users)}`}`,
  github_label: (configuration) =>
    `the label ${listed(configuration.labels, " or ")} on ${
      targetOf(configuration)
    } of ${listed(configuration.repos)}${narrowing(configuration)}`,
  github_issue: (configuration) =>
    `new ${targetOf(configuration)} of ${listed(configuration.repos)}${
      configuration.labels === undefined
        ? ""
        : ` with the label ${listed(configuration.labels, " or ")}`
    }${narrowing(configuration)}`,
};

function describeSchedule(configuration: Configuration): string {
  const { scheduled_at, interval, unit, time, day_of_week, timezone } =
    configuration;
  const missed = configuration.missed === "skip"
    ? "; missed ones are skipped"
    : "";
  if (scheduled_at !== undefined) {
    return `once at ${scheduled_at} in ${timezone}${missed}`;
  }
  const every = interval === 1
    ? `every ${String(unit).slice(0, -1)}`
    : `every ${interval} ${unit}`;
  return [
    every,
    ...day_of_week === undefined ? [] : [`on ${day_of_week}`],
    ...time === undefined ? [] : [`at ${time} in ${timezone}`],
  ].join(" ") + missed;
}

function targetOf({ target }: Configuration): string {
  return target === "both"
    ? "issues and pull requests"
    : target === "pull_requests"
    ? "pull requests"
    : "issues";
}

function narrowing({ exclude_labels }: Configuration): string {
  return exclude_labels === undefined
    ? ""
    : `, but not with ${listed(exclude_labels, " or ")}`;
}

function listed(value: unknown, between = ", "): string {
  return Array.isArray(value) ? value.join(between) : String(value);
}
