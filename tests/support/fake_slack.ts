/**
 * Slack's Web API as far as pollers use it: a channel's history with cursors,
 * rate limits and refusals, as the service sends them.
 *
 * @module
 */

/** The fake. */
export interface FakeSlack extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** Methods that were called. */
  readonly requests: string[];
  /** Writes a message; its `ts`. */
  say(text: string, more?: Record<string, unknown>): string;
  /** What the next calls are answered with, in place of the truth. */
  readonly trouble: (() => Response)[];
}

/** The one channel. */
export const CHANNEL = "C0123456789";

/** Opens it. */
export function openFakeSlack(): FakeSlack {
  const messages: Record<string, unknown>[] = [];
  const requests: string[] = [];
  const trouble: (() => Response)[] = [];
  let seconds = 1_767_225_600;
  const answer = (
    method: string,
    args: URLSearchParams,
  ): Record<string, unknown> => {
    switch (method) {
      case "auth.test":
        return { user_id: "U0BOT00000", url: "https://team.slack.com/" };
      case "conversations.list":
        return {
          channels: args.get("cursor") === "more"
            ? [{ id: "C0OTHER0000", name: "other", is_member: false }]
            : [{ id: CHANNEL, name: "general", is_member: true }],
          response_metadata: {
            next_cursor: args.get("cursor") === "more" ? "" : "more",
          },
        };
      case "conversations.history": {
        if (args.get("channel") !== CHANNEL) {
          return { ok: false, error: "channel_not_found" };
        }
        // Two a page at most, so that there are pages.
        const size = Math.min(2, Number(args.get("limit") ?? 100));
        const oldest = Number(args.get("oldest") ?? 0);
        const from = Number(args.get("cursor") ?? 0);
        const found = messages.filter(({ ts }) => Number(ts) > oldest)
          .toReversed();
        const isMore = found.length > from + size;
        return {
          messages: found.slice(from, from + size),
          has_more: isMore,
          response_metadata: { next_cursor: isMore ? String(from + size) : "" },
        };
      }
      default:
        return { ok: false, error: "unknown_method" };
    }
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const method = new URL(request.url).pathname.replace("/api/", "");
      requests.push(method);
      const args = new URLSearchParams(await request.text());
      const next = trouble.shift();
      if (next !== undefined) return next();
      if (request.headers.get("authorization") !== "Bearer xoxb-1") {
        return Response.json({ ok: false, error: "invalid_auth" });
      }
      return Response.json({ ok: true, ...answer(method, args) });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/api/`,
    requests,
    trouble,
    say(text, more = {}) {
      const ts = `${seconds++}.000100`;
      messages.push({ type: "message", ts, text, user: "U0ADA00000", ...more });
      return ts;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
