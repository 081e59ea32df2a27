/**
 * GitHub's API as far as pollers use it: issues and their events with pages,
 * validators, rate limits and refusals, as the service sends them.
 *
 * @module
 */

/** A repository behind the fake. */
interface Repo {
  readonly issues: Record<string, unknown>[];
  readonly events: Record<string, unknown>[];
}

/** The fake. */
export interface FakeGithub extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** Requests so far: method, path with query, status. */
  readonly requests: string[];
  /** Opens an issue or pull request; its number. */
  open(repo: string, issue?: Record<string, unknown>): number;
  /** Puts a label on one. */
  label(repo: string, number: number, label: string): void;
  /** What the next requests are answered with, in place of the truth. */
  readonly trouble: (() => Response)[];
  /** The only token that opens it. */
  token: string;
}

/** Opens it. */
export function openFakeGithub(): FakeGithub {
  const repos = new Map<string, Repo>();
  const requests: string[] = [];
  const trouble: (() => Response)[] = [];
  let nextEvent = 1_000;
  const repoOf = (name: string): Repo => {
    const found = repos.get(name) ?? { issues: [], events: [] };
    repos.set(name, found);
    return found;
  };
  const fake = { token: "gh-token" };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.headers.get("authorization") !== `token ${fake.token}`) {
      return refusal(401, "Bad credentials");
    }
    const next = trouble.shift();
    if (next !== undefined) return next();
    const match = /^\/repos\/([^/]+\/[^/]+)\/issues(\/events)?$/.exec(pathname);
    const repo = repos.get(match?.[1] ?? "");
    if (match === null || repo === undefined) return refusal(404, "Not Found");
    const all = match[2] === undefined ? repo.issues : repo.events;
    const size = Number(searchParams.get("per_page") ?? 30);
    const page = Number(searchParams.get("page") ?? 1);
    const body = JSON.stringify(
      all.toReversed().slice((page - 1) * size, page * size),
    );
    const digest = await crypto.subtle.digest(
      "SHA-1",
      new TextEncoder().encode(body),
    );
    const etag = `W/"${new Uint8Array(digest).toHex()}"`;
    if (request.headers.get("if-none-match") === etag) {
      return new Response(null, { status: 304, headers: { etag } });
    }
    return new Response(body, {
      headers: {
        etag,
        "content-type": "application/json; charset=utf-8",
        "x-ratelimit-remaining": "4999",
      },
    });
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const response = await answer(request);
      requests.push(
        `${request.method} ${pathname}${search} ${response.status}`,
      );
      return response;
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    trouble,
    get token() {
      return fake.token;
    },
    set token(token: string) {
      fake.token = token;
    },
    open(name, issue = {}) {
      const { issues } = repoOf(name);
      const number = issues.length + 1;
      issues.push({
        number,
        title: `Issue ${number}`,
        body: "text",
        html_url: `https://github.com/${name}/issues/${number}`,
        user: { login: "ada" },
        labels: [],
        created_at: "2026-01-01T00:00:00Z",
        ...issue,
      });
      return number;
    },
    label(name, number, label) {
      const { issues, events } = repoOf(name);
      const issue = issues[number - 1] as { labels: { name: string }[] };
      issue.labels.push({ name: label });
      events.push({
        id: nextEvent++,
        event: "labeled",
        actor: { login: "bob" },
        label: { name: label, color: "ff0000" },
        issue,
      });
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A refusal, as GitHub writes them. */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(
    JSON.stringify({ message, documentation_url: "https://docs.github.com" }),
    { status, headers: { "content-type": "application/json", ...headers } },
  );
}
