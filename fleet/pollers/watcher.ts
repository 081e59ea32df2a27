/**
 * What looks at a service for conditions of a type, and what it finds.
 *
 * @module
 */
import type { Configuration } from "../triggers/conditions.ts";
import type { PersonSaid } from "../triggers/fire.ts";
import type { Variables } from "../triggers/template.ts";

/** What services are reached with. */
export interface OutsideSettings {
  /** A token of GitHub. */
  readonly githubToken?: string | undefined;
  /** Where its API is. @default {"https://api.github.com"} */
  readonly githubUrl?: string | undefined;
  /** A bot's token of Slack. */
  readonly slackToken?: string | undefined;
  /** Where its API is. @default {"https://slack.com/api/"} */
  readonly slackUrl?: string | undefined;
  /** Who somebody of Slack is among the people; undefined for a stranger. */
  readonly slackName?:
    | ((slackId: string) => Promise<string | undefined>)
    | undefined;
  /** Where notices are posted to as JSON. */
  readonly notifyUrl?: string | undefined;
}

/** Something that happened at a service. */
export interface SeenEvent {
  /** The service's own name of it: the same for every look. */
  readonly occurrence: string;
  /** What it says. */
  readonly variables: Variables;
  /** Why it fires, for people. */
  readonly because: string;
  /** What a person said by it, in their own words. */
  readonly said?: PersonSaid | undefined;
}

/** What a watcher remembers of a condition. */
export type Cursor = Readonly<Record<string, unknown>>;

/** What a look found. */
export interface Look {
  /** What happened since the last look, the oldest first. */
  readonly events: readonly SeenEvent[];
  /** What is remembered for the next look. */
  readonly cursor: Cursor;
  /** What was left out, for people. */
  readonly remark?: string | undefined;
}

/** Looks at a service. */
export interface Watcher {
  /**
   * Looks once. Without a cursor nothing has happened yet: what is there now is
   * where it begins.
   *
   * @throws {WatchError} The service cannot be read now.
   */
  look(configuration: Configuration, cursor: Cursor | null): Promise<Look>;
}

/** A service cannot be read; the message is for people, and has no token. */
export class WatchError extends Error {
  /** Always `WatchError`. */
  override readonly name = "WatchError";
  /** Seconds after which the service wants to be asked again, where it says. */
  readonly retrySeconds: number | undefined;

  /** Takes the message, and what the service said. */
  constructor(
    message: string,
    options: ErrorOptions & { readonly retrySeconds?: number | undefined } = {},
  ) {
    super(message, options);
    this.retrySeconds = options.retrySeconds;
  }
}
