/**
 * What conditions may be configured with, type by type. Pure.
 *
 * A configuration is stored in a plain form that holds what its caller decided
 * and nothing else: whoever reads it may hand it back as it is.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import type { ConditionType } from "../../store/triggers/mod.ts";
import { badArgument } from "../sessions/texts.ts";
import { checkSchedule } from "./schedule.ts";

/** A configuration. */
export type Configuration = Readonly<Record<string, unknown>>;

/** Types that callers make; an `ao_event` is what a wake waits for. */
export const SETTABLE_TYPES = [
  "schedule",
  "github_label",
  "github_issue",
  "slack",
  "webhook",
  "system_event",
] as const satisfies readonly ConditionType[];

/** Which type gives a session its genesis, where a trigger has several. */
export const GENESIS_ORDER: readonly ConditionType[] = [
  "slack",
  "system_event",
  "github_label",
  "github_issue",
  "ao_event",
  "webhook",
  "schedule",
];

/** What the program tells of itself. */
export const SYSTEM_EVENTS = [
  "catalog_broken",
  "catalog_recovered",
  "runner_lost",
  "runner_back",
  "login_limited",
  "queue_backlog",
  "sweep_overdue",
  "trigger_failed",
] as const;

/** Its name. */
export type SystemEvent = typeof SYSTEM_EVENTS[number];

/** Which messages of a channel count; the first is the default. */
export const SLACK_EVENTS = ["message", "mention"] as const;

/** Where labels and issues are watched; the first is the default. */
export const GITHUB_TARGETS = ["issues", "pull_requests", "both"] as const;

const MAX_REPOS = 20;
const MAX_LABELS = 50;
const REPO_REGEXP = /^[\w.-]{1,100}\/[\w.-]{1,100}$/;
const CHANNEL_REGEXP = /^[CGD][A-Z0-9]{5,20}$/;
const USER_REGEXP = /^[UW][A-Z0-9]{5,20}$/;

/**
 * The plain form of a configuration.
 *
 * @throws {FleetRefusalError} It names what is wrong and what would be right.
 */
export function checkConfiguration(
  type: ConditionType,
  given: Configuration,
): Configuration {
  if (type === "schedule") return checkSchedule(given);
  const reader = new Reader(type, given);
  return READERS[type](reader);
}

const READERS: Readonly<
  Record<
    Exclude<ConditionType, "schedule">,
    (reader: Reader) => Configuration
  >
> = {
  ao_event: () => {
    throw badArgument(
      "ao_event conditions are made by wake_me_up_when_session_changes_state, for the session that waits. Nothing was changed",
    );
  },
  system_event: (reader) => {
    reader.only("event_names", "event_name");
    const names = reader.list("event_names") ?? reader.list("event_name") ?? [];
    const unknown = names.find((name) =>
      !SYSTEM_EVENTS.some((one) => one === name)
    );
    if (names.length === 0 || unknown !== undefined) {
      throw reader.refused(
        `event_names has one or more of ${SYSTEM_EVENTS.join(", ")}${
          unknown === undefined ? "" : `; "${cutText(unknown, 60)}" is none`
        }`,
      );
    }
    return { event_names: names };
  },
  webhook: (reader) => {
    reader.only("signed");
    return reader.flag("signed") === true ? { signed: true } : {};
  },
  slack: (reader) => {
    reader.only("channel_id", "channel_name", "event_type", "from_users");
    const channel = reader.text("channel_id") ?? "";
    if (!CHANNEL_REGEXP.test(channel)) {
      throw reader.refused(
        "channel_id is a channel's id like C0123456789; search_triggers with include_channels: true lists them",
      );
    }
    const users = reader.list("from_users");
    const wrong = users?.find((user) => !USER_REGEXP.test(user));
    if (wrong !== undefined) {
      throw reader.refused(
        `from_users has ids of users like U0123456789; "${
          cutText(wrong, 60)
        }" is none`,
      );
    }
    const name = reader.text("channel_name");
    return {
      channel_id: channel,
      ...(name === undefined ? {} : { channel_name: name }),
      event_type: reader.word("event_type", SLACK_EVENTS) ?? "message",
      ...(users === undefined || users.length === 0
        ? {}
        : { from_users: users }),
    };
  },
  github_label: (reader) => {
    reader.only("repos", "repo", "labels", "label", "exclude_labels", "target");
    const labels = reader.labels("labels") ?? reader.labels("label") ?? [];
    if (labels.length === 0) throw reader.refused("labels names one or more");
    return { ...reader.repos(), labels, ...reader.narrowed() };
  },
  github_issue: (reader) => {
    reader.only("repos", "repo", "labels", "exclude_labels", "target");
    const labels = reader.labels("labels");
    return {
      ...reader.repos(),
      ...(labels === undefined || labels.length === 0 ? {} : { labels }),
      ...reader.narrowed(),
    };
  },
};

/** What a poller of such a condition watches: another one begins anew. */
export function watchedBy(
  type: ConditionType,
  configuration: Configuration,
): string {
  const { repos, labels, target, channel_id, event_type } = configuration;
  return JSON.stringify(
    type === "slack"
      ? [channel_id, event_type]
      : [repos, labels ?? [], target ?? "issues"],
  );
}

/**
 * Refuses an edit that would let more through without saying so: a narrowing
 * that is left out.
 *
 * @throws {FleetRefusalError} It says how the narrowing is kept or taken away.
 */
export function assertNotWidened(
  type: ConditionType,
  before: Configuration,
  given: Configuration,
): void {
  if (
    type === "slack" && before.event_type !== "message" &&
    given.event_type === undefined
  ) {
    throw badArgument(
      `The condition has event_type "${before.event_type}", and this configuration leaves it out, which would let every message through; pass event_type: "${before.event_type}" to keep it, or "message". Nothing was changed`,
    );
  }
  const excluded = before.exclude_labels;
  if (
    Array.isArray(excluded) && excluded.length > 0 &&
    given.exclude_labels === undefined
  ) {
    throw badArgument(
      `The condition has exclude_labels (${
        excluded.join(", ")
      }), and this configuration leaves them out, which would let more through; pass them to keep them, or []. Nothing was changed`,
    );
  }
}

class Reader {
  readonly #type: string;
  readonly #given: Configuration;

  constructor(type: string, given: Configuration) {
    this.#type = type;
    this.#given = given;
  }

  refused(why: string): Error {
    return badArgument(`${this.#type}: ${why}. Nothing was changed`);
  }

  only(...keys: readonly string[]): void {
    const unknown = Object.keys(this.#given).find((key) => !keys.includes(key));
    if (unknown === undefined) return;
    throw this.refused(
      `"${cutText(unknown, 60)}" is not among ${keys.join(", ")}`,
    );
  }

  text(name: string): string | undefined {
    const value = this.#given[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string" || value.length > 200) {
      throw this.refused(`${name} is a text of 200 characters at most`);
    }
    return value.trim() === "" ? undefined : value.trim();
  }

  flag(name: string): boolean | undefined {
    const value = this.#given[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "boolean") {
      throw this.refused(`${name} is true or false`);
    }
    return value;
  }

  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const word = words.find((one) => one === text.toLowerCase());
    if (word !== undefined) return word;
    throw this.refused(
      `${name} is one of ${words.join(", ")}; it is "${cutText(text, 60)}"`,
    );
  }

  /** Texts, each once; one text is a list of one. */
  list(name: string): readonly string[] | undefined {
    const value = this.#given[name];
    if (value === undefined || value === null) return undefined;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const texts = items.map((item) => {
      if (
        typeof item === "string" && item.trim() !== "" && item.length <= 200
      ) return item.trim();
      throw this.refused(
        `${name} is a list of texts, each of 1 to 200 characters`,
      );
    });
    return [...new Set(texts)];
  }

  labels(name: string): readonly string[] | undefined {
    const labels = this.list(name);
    if (labels === undefined || labels.length <= MAX_LABELS) return labels;
    throw this.refused(`${name} has ${MAX_LABELS} labels at most`);
  }

  repos(): { readonly repos: readonly string[] } {
    const repos = this.list("repos") ?? this.list("repo") ?? [];
    if (repos.length === 0) throw this.refused("repos names one or more");
    const wrong = repos.find((repo) => !REPO_REGEXP.test(repo));
    if (wrong !== undefined) {
      throw this.refused(
        `repos are written owner/name; "${cutText(wrong, 60)}" is not`,
      );
    }
    if (repos.length > MAX_REPOS) {
      throw this.refused(`repos has ${MAX_REPOS} at most`);
    }
    return { repos };
  }

  narrowed(): Configuration {
    const excluded = this.labels("exclude_labels");
    return {
      ...(excluded === undefined || excluded.length === 0
        ? {}
        : { exclude_labels: excluded }),
      target: this.word("target", GITHUB_TARGETS) ?? "issues",
    };
  }
}
