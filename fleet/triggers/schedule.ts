/**
 * When a schedule is due. Pure: time comes in, and the zone is the schedule's
 * own, never this machine's.
 *
 * Minutes and hours are counted in elapsed time from an anchor, so that changes
 * of clock do not stretch them. Days and weeks are counted in dates of the zone,
 * each at its wall time: where clocks go forward over it, the time behind the
 * gap; where they go back, the earlier of the two.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { badArgument } from "../sessions/texts.ts";
import { readLocalTime, readZone } from "../wakes/time.ts";

/** Units of an interval. */
export const SCHEDULE_UNITS = ["minutes", "hours", "days", "weeks"] as const;

/** Days, as `Temporal` counts them from 1. */
export const WEEK_DAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** What is done about occurrences that no server was there for. */
export const MISSED_RULES = ["once", "skip"] as const;

/** A schedule. */
export type Schedule =
  & { readonly timezone: string; readonly missed: "once" | "skip" }
  & (
    | { readonly kind: "one_time"; readonly scheduledAt: string }
    | {
      readonly kind: "elapsed";
      /** Seconds from one occurrence to the next. */
      readonly seconds: number;
    }
    | {
      readonly kind: "dates";
      /** Days from one occurrence to the next. */
      readonly days: number;
      /** `HH:MM` in the zone. */
      readonly time: string;
      /** 1 is Monday; undefined where the anchor's date says it. */
      readonly weekday: number | undefined;
    }
  );

/** What a schedule's configuration may say; the rest is refused by name. */
const KEYS = {
  recurring: ["interval", "unit", "time", "day_of_week", "timezone", "missed"],
  oneTime: ["scheduled_at", "timezone", "missed"],
};

const MAX_INTERVAL = 10_000;
const TIME_REGEXP = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

type Configuration = Readonly<Record<string, unknown>>;

/**
 * A schedule's configuration in its plain form: zone spelled as the calendar
 * does, day as a word.
 *
 * @throws {FleetRefusalError} It says what no schedule can mean.
 */
export function checkSchedule(given: Configuration): Configuration {
  const isOneTime = given.scheduled_at !== undefined;
  const keys = isOneTime ? KEYS.oneTime : KEYS.recurring;
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw refused(
      `"${cutText(unknown, 60)}" is not among ${
        keys.join(", ")
      }: a schedule recurs (interval, unit) or happens once (scheduled_at)`,
    );
  }
  const timezone = readZone(textOf(given, "timezone") ?? "UTC");
  const missed = wordOf(given, "missed", MISSED_RULES);
  const rest = missed === undefined ? {} : { missed };
  if (isOneTime) {
    const text = textOf(given, "scheduled_at") ?? "";
    const { local } = readLocalTime(text, timezone, "scheduled_at");
    return { scheduled_at: local, timezone, ...rest };
  }
  const unit = wordOf(given, "unit", SCHEDULE_UNITS);
  if (unit === undefined) {
    throw refused(`unit is one of ${SCHEDULE_UNITS.join(", ")}`);
  }
  const interval = given.interval ?? 1;
  if (
    typeof interval !== "number" || !Number.isInteger(interval) ||
    interval < 1 || interval > MAX_INTERVAL
  ) {
    throw refused(
      `interval is a whole number from 1 to ${MAX_INTERVAL}; it is ${
        shown(interval)
      }`,
    );
  }
  const time = textOf(given, "time");
  const isOfDates = unit === "days" || unit === "weeks";
  if (isOfDates !== (time !== undefined)) {
    throw refused(
      isOfDates
        ? `${unit} need a time, HH:MM in ${timezone}`
        : `${unit} are counted in elapsed time and take no time of day`,
    );
  }
  if (time !== undefined && !TIME_REGEXP.test(time)) {
    throw refused(`time is HH:MM from 00:00 to 23:59; it is "${time}"`);
  }
  const day = dayOf(given.day_of_week);
  if ((unit === "weeks") !== (day !== undefined)) {
    throw refused(
      unit === "weeks"
        ? `weeks need a day_of_week: ${WEEK_DAYS.join(", ")}`
        : "day_of_week goes with the unit weeks only",
    );
  }
  return {
    interval,
    unit,
    ...(time === undefined ? {} : { time }),
    ...(day === undefined ? {} : { day_of_week: day }),
    timezone,
    ...rest,
  };
}

/** The schedule of a configuration that {@link checkSchedule} passed. */
export function scheduleOf(configuration: Configuration): Schedule {
  const { interval, unit, time, day_of_week: day } = configuration;
  const timezone = String(configuration.timezone ?? "UTC");
  const missed = configuration.missed === "skip" ? "skip" : "once";
  if (configuration.scheduled_at !== undefined) {
    const scheduledAt = String(configuration.scheduled_at);
    return { kind: "one_time", scheduledAt, timezone, missed };
  }
  const count = Number(interval);
  if (unit === "minutes" || unit === "hours") {
    const seconds = count * (unit === "minutes" ? 60 : 3_600);
    return { kind: "elapsed", seconds, timezone, missed };
  }
  const isWeeks = unit === "weeks";
  return {
    kind: "dates",
    days: count * (isWeeks ? 7 : 1),
    time: String(time),
    weekday: isWeeks
      ? WEEK_DAYS.findIndex((name) => name === day) + 1
      : undefined,
    timezone,
    missed,
  };
}

/**
 * The first occurrence after an instant; undefined where none comes any more.
 *
 * @param anchor What intervals are counted from: when the schedule was made.
 */
export function nextAfter(
  schedule: Schedule,
  anchor: Date,
  after: Date,
): Date | undefined {
  switch (schedule.kind) {
    case "one_time": {
      const at = instantOf(schedule.scheduledAt, schedule.timezone);
      return at > after ? at : undefined;
    }
    case "elapsed": {
      const step = schedule.seconds * 1_000;
      const begin = wholeMinute(anchor).getTime();
      const passed = Math.floor((after.getTime() - begin) / step);
      return new Date(begin + Math.max(1, passed + 1) * step);
    }
    case "dates":
      return nextDate(schedule, anchor, after);
  }
}

/** How many occurrences lie after one instant, up to and with another. */
export function countBetween(
  schedule: Schedule,
  anchor: Date,
  { after, upTo }: { readonly after: Date; readonly upTo: Date },
): number {
  if (schedule.kind === "elapsed") {
    const first = nextAfter(schedule, anchor, after);
    if (first === undefined || first > upTo) return 0;
    const step = schedule.seconds * 1_000;
    return Math.floor((upTo.getTime() - first.getTime()) / step) + 1;
  }
  let count = 0;
  let at = nextAfter(schedule, anchor, after);
  while (at !== undefined && at <= upTo) {
    count++;
    at = nextAfter(schedule, anchor, at);
  }
  return count;
}

function nextDate(
  { days, time, weekday, timezone }: Schedule & { readonly kind: "dates" },
  anchor: Date,
  after: Date,
): Date {
  const anchored = dateOf(anchor, timezone);
  const first = weekday === undefined
    ? anchored
    : anchored.add({ days: (weekday - anchored.dayOfWeek + 7) % 7 });
  const passed = first.until(dateOf(after, timezone), { largestUnit: "days" });
  // One early: a time behind a gap may lie on the date after its own.
  let step = Math.max(0, Math.floor(passed.days / days) - 1);
  const earliest = anchor > after ? anchor : after;
  for (;; step++) {
    const date = first.add({ days: step * days });
    const at = instantOf(`${date}T${time}`, timezone);
    if (at > earliest) return at;
  }
}

function dateOf(at: Date, timezone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timezone).toPlainDate();
}

function instantOf(local: string, timezone: string): Date {
  const zoned = Temporal.PlainDateTime.from(local)
    .toZonedDateTime(timezone, { disambiguation: "compatible" });
  return new Date(zoned.epochMilliseconds);
}

function wholeMinute(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 60_000) * 60_000);
}

function textOf(given: Configuration, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.trim();
  throw refused(`${name} is a text`);
}

function wordOf<W extends string>(
  given: Configuration,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const word = words.find((one) => one === text.toLowerCase());
  if (word !== undefined) return word;
  throw refused(
    `${name} is one of ${words.join(", ")}; it is "${cutText(text, 60)}"`,
  );
}

/** A day by its name, or by its number from 0, Sunday. */
function dayOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") {
    const day = WEEK_DAYS[(value + 6) % 7];
    if (Number.isInteger(value) && value >= 0 && value <= 6) return day;
  } else if (typeof value === "string") {
    const name = value.trim().toLowerCase();
    const day = WEEK_DAYS.find((one) =>
      one === name || one.slice(0, 3) === name
    );
    if (day !== undefined) return day;
  }
  throw refused(
    `day_of_week is one of ${WEEK_DAYS.join(", ")}, or 0 (Sunday) to 6; it is ${
      shown(value)
    }`,
  );
}

function shown(value: unknown): string {
  return cutText(JSON.stringify(value), 60);
}

function refused(why: string): Error {
  return badArgument(`schedule: ${why}. Nothing was changed`);
}
