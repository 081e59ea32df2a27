/**
 * Messages in channels of Slack. A message's `ts` names it and only grows.
 *
 * @module
 */
import { WebClient } from "@slack/web-api";
import { cutText } from "../../catalog/mod.ts";
import { storable, timeVariables } from "../triggers/template.ts";
import {
  type OutsideSettings,
  type SeenEvent,
  type Watcher,
  WatchError,
} from "./watcher.ts";

/** Messages of a page. */
const PER_PAGE = 200;
/** Pages that one look reads. */
const MAX_PAGES = 10;
/** A request that takes longer has failed. */
const LIMIT_MS = 20_000;
/** Channels that are listed. */
const MAX_CHANNELS = 1_000;

/** Kinds of messages that people write. */
const WRITTEN = [undefined, "file_share", "thread_broadcast", "me_message"];

/** A message, as far as we read it. */
interface Message {
  readonly ts?: string;
  readonly subtype?: string;
  readonly bot_id?: string;
  readonly user?: string;
  readonly text?: string;
}

/** A channel. */
export interface SlackChannel {
  /** Its id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Whether the bot is in it, and so can read it. */
  readonly isMember: boolean;
}

/** A watcher of messages. */
export function watchSlack(settings: OutsideSettings): Watcher {
  const client = clientOf(settings);
  let self: Promise<{ user: string; url: string }> | undefined;
  return {
    async look(configuration, cursor) {
      if (client === undefined) throw noToken();
      try {
        self ??= whoAmI(client);
        const me = await self.catch((error) => {
          self = undefined;
          throw error;
        });
        const channel = String(configuration.channel_id);
        const last = typeof cursor?.ts === "string" ? cursor.ts : undefined;
        const { messages, isCut } = await readSince(client, channel, last);
        const newest = messages.at(-1)?.ts ?? last ?? "0";
        const seen = last === undefined ? [] : messages.flatMap((message) => {
          const event = toEvent(message, { configuration, channel, me });
          return event === undefined ? [] : [event];
        });
        return {
          events: await Promise.all(
            seen.map((event) => withAuthor(event, settings)),
          ),
          cursor: { ts: newest },
          ...(isCut
            ? {
              remark: `The channel had more than ${
                MAX_PAGES * PER_PAGE
              } messages since the last look: the oldest were left out`,
            }
            : {}),
        };
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/**
 * Lists channels.
 *
 * @throws {WatchError} Slack cannot be read.
 */
export async function listSlackChannels(
  settings: OutsideSettings,
): Promise<readonly SlackChannel[]> {
  const client = clientOf(settings);
  if (client === undefined) throw noToken();
  const found: SlackChannel[] = [];
  let cursor: string | undefined;
  try {
    do {
      const page = await client.conversations.list({
        exclude_archived: true,
        limit: PER_PAGE,
        types: "public_channel,private_channel",
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { id, name, is_member } of page.channels ?? []) {
        if (id === undefined) continue;
        found.push({ id, name: name ?? id, isMember: is_member === true });
      }
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && found.length < MAX_CHANNELS);
  } catch (error) {
    throw explain(error);
  }
  return found;
}

function clientOf(
  { slackToken, slackUrl }: OutsideSettings,
): WebClient | undefined {
  if (slackToken === undefined) return undefined;
  return new WebClient(slackToken, {
    // Failures wait in the database, where every server sees them.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: LIMIT_MS,
    fetch: readWhole,
    logger: {
      debug() {},
      info() {},
      warn() {},
      error() {},
      setLevel() {},
      getLevel: () => "error" as never,
      setName() {},
    },
    ...(slackUrl === undefined ? {} : { slackApiUrl: slackUrl }),
  });
}

/** The package leaves bodies of refusals unread, which keeps connections busy. */
async function readWhole(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), {
    status,
    statusText,
    headers,
  });
}

async function whoAmI(
  client: WebClient,
): Promise<{ readonly user: string; readonly url: string }> {
  const { user_id = "", url = "https://slack.com/" } = await client.auth.test();
  return { user: user_id, url };
}

/** Messages after a `ts`, the oldest first; without one, the newest alone. */
async function readSince(
  client: WebClient,
  channel: string,
  last: string | undefined,
): Promise<{ readonly messages: readonly Message[]; readonly isCut: boolean }> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await client.conversations.history({
      channel,
      limit: last === undefined ? 1 : PER_PAGE,
      ...(last === undefined ? {} : { oldest: last, inclusive: false }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    messages.push(...(answer.messages ?? []) as Message[]);
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (last === undefined || cursor === undefined) break;
  }
  return {
    messages: messages.filter(({ ts }) => ts !== undefined && ts !== last)
      .sort((one, other) => Number(one.ts) - Number(other.ts)),
    isCut: last !== undefined && cursor !== undefined,
  };
}

function toEvent(
  { ts = "", subtype, bot_id, user = "", text = "" }: Message,
  { configuration, channel, me }: {
    readonly configuration: Readonly<Record<string, unknown>>;
    readonly channel: string;
    readonly me: { readonly user: string; readonly url: string };
  },
): SeenEvent | undefined {
  if (!WRITTEN.includes(subtype) || bot_id !== undefined) return undefined;
  if (user === "" || user === me.user) return undefined;
  const { event_type, from_users, channel_name } = configuration;
  if (event_type === "mention" && !text.includes(`<@${me.user}>`)) {
    return undefined;
  }
  if (Array.isArray(from_users) && !from_users.includes(user)) {
    return undefined;
  }
  const name = String(channel_name ?? channel);
  return {
    occurrence: `${channel}:${ts}`,
    because: `a message of ${user} in ${name}`,
    variables: {
      event: event_type === "mention" ? "mention" : "message",
      text,
      author: user,
      channel: name,
      link: `${me.url}archives/${channel}/p${ts.replace(".", "")}`,
      ...timeVariables(new Date(Number(ts) * 1_000), "UTC"),
    },
  };
}

/** The event with what was said, by whom the people know its author as. */
async function withAuthor(
  event: SeenEvent,
  { slackName }: OutsideSettings,
): Promise<SeenEvent> {
  const { author = "", text = "", link } = event.variables;
  const said = storable(text);
  if (said.trim() === "") return event;
  return {
    ...event,
    said: {
      // No name has a colon: a stranger cannot be taken for one of the people.
      author: cutText(await slackName?.(author) ?? `slack:${author}`, 200),
      channel: "slack",
      content: said,
      provenance: { link },
    },
  };
}

function noToken(): WatchError {
  return new WatchError("SLACK_BOT_TOKEN is not set, so Slack is not read");
}

/** What Slack's words mean. */
const MEANINGS: Readonly<Record<string, string>> = {
  invalid_auth: "takes the token no more: set another SLACK_BOT_TOKEN",
  token_revoked: "takes the token no more: set another SLACK_BOT_TOKEN",
  token_expired: "takes the token no more: set another SLACK_BOT_TOKEN",
  account_inactive: "takes the token no more: set another SLACK_BOT_TOKEN",
  not_authed: "was given no token: set SLACK_BOT_TOKEN",
  channel_not_found: "has no such channel that the bot may see",
  not_in_channel: "lets the bot read only channels that it is in: invite it",
  missing_scope:
    "needs more scopes for the bot: channels:history, channels:read",
};

function explain(error: unknown): WatchError {
  if (error instanceof WatchError) return error;
  const { code, retryAfter, data, message } = error as {
    readonly code?: string;
    readonly retryAfter?: number;
    readonly data?: { readonly error?: string };
    readonly message?: string;
  };
  if (code === "slack_webapi_rate_limited_error") {
    return new WatchError("Slack's rate limit is reached", {
      cause: error,
      retrySeconds: retryAfter,
    });
  }
  const word = data?.error;
  if (word !== undefined) {
    return new WatchError(
      `Slack ${MEANINGS[word] ?? "refused"} (${cutText(word, 60)})`,
      { cause: error },
    );
  }
  return new WatchError(
    `Slack cannot be reached: ${cutText(message ?? "", 200)}`,
    { cause: error },
  );
}
