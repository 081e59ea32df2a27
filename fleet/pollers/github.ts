/**
 * Labels and issues of GitHub. What is new is told by numbers that GitHub only
 * lets grow: events of issues by their id, issues by their number. A repository
 * where nothing changed costs a conditional request, which its limit does not
 * count.
 *
 * @module
 */
import { Octokit } from "@octokit/rest";
import { cutText } from "../../catalog/mod.ts";
import {
  type Cursor,
  type Look,
  type OutsideSettings,
  type SeenEvent,
  type Watcher,
  WatchError,
} from "./watcher.ts";

/** Things of a page, the most there are. */
const PER_PAGE = 100;
/** Pages that one look reads of a repository. */
const MAX_PAGES = 10;
/** A request that takes longer has failed. */
const LIMIT_MS = 20_000;

/** What is remembered of a repository. */
interface RepoCursor {
  /** The highest number that was seen. */
  readonly last: number;
  /** Validator of the first page. */
  readonly etag?: string | undefined;
}

/** An issue or pull request, as far as we read it. */
interface Issue {
  readonly number: number;
  readonly title: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
  readonly user?: { readonly login: string } | null | undefined;
  readonly labels?: readonly (string | { readonly name?: string | null })[];
  readonly pull_request?: unknown;
  readonly created_at?: string | undefined;
}

/** Something with a number that grows. */
interface Item {
  readonly key: number;
  readonly issue: Issue | undefined;
  readonly label: string | undefined;
  readonly author: string;
}

type Kind = "github_label" | "github_issue";

/** A watcher of labels, or of issues. */
export function watchGithub(
  kind: Kind,
  { githubToken, githubUrl }: OutsideSettings,
): Watcher {
  const octokit = githubToken === undefined ? undefined : new Octokit({
    auth: githubToken,
    userAgent: "rootcellar",
    // What it says goes into our own error.
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(githubUrl === undefined ? {} : { baseUrl: githubUrl }),
  });
  return {
    async look(configuration, cursor) {
      if (octokit === undefined) {
        throw new WatchError("GITHUB_TOKEN is not set, so GitHub is not read");
      }
      const events: SeenEvent[] = [];
      const next: Record<string, RepoCursor> = {};
      const remarks: string[] = [];
      for (const repo of configuration.repos as readonly string[]) {
        const seen = repoCursor(cursor, repo);
        const found = await readRepo(octokit, { kind, repo, seen });
        next[repo] = found.cursor;
        if (found.remark !== undefined) remarks.push(found.remark);
        for (const item of found.items) {
          const event = toEvent(kind, { repo, item, configuration });
          if (event !== undefined) events.push(event);
        }
      }
      const look: Look = { events, cursor: { ...next } };
      return remarks.length === 0
        ? look
        : { ...look, remark: remarks.join("; ") };
    },
  };
}

function repoCursor(
  cursor: Cursor | null,
  repo: string,
): RepoCursor | undefined {
  const found = cursor?.[repo];
  if (typeof found !== "object" || found === null) return undefined;
  const { last, etag } = found as Partial<RepoCursor>;
  return typeof last === "number" ? { last, etag } : undefined;
}

/** What a repository has that is newer than what was seen, the oldest first. */
async function readRepo(
  octokit: Octokit,
  { kind, repo, seen }: {
    readonly kind: Kind;
    readonly repo: string;
    readonly seen: RepoCursor | undefined;
  },
): Promise<{
  readonly items: readonly Item[];
  readonly cursor: RepoCursor;
  readonly remark?: string;
}> {
  const items: Item[] = [];
  let etag: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await readPage(octokit, {
      kind,
      repo,
      page,
      etag: page === 1 ? seen?.etag : undefined,
    });
    if (answer === "unchanged") {
      return { items: [], cursor: seen ?? { last: 0 } };
    }
    if (page === 1) etag = answer.etag;
    const fresh = answer.items.filter(({ key }) => key > (seen?.last ?? 0));
    items.push(...fresh);
    const isWhole = answer.items.length < PER_PAGE ||
      fresh.length < answer.items.length;
    if (seen === undefined || isWhole) break;
    if (page === MAX_PAGES) {
      const last = Math.max(...items.map(({ key }) => key));
      return {
        items: sorted(items),
        cursor: { last, etag },
        remark: `${repo} had more than ${
          MAX_PAGES * PER_PAGE
        } events since the last look: the oldest were left out`,
      };
    }
  }
  const last = Math.max(seen?.last ?? 0, ...items.map(({ key }) => key));
  return {
    items: seen === undefined ? [] : sorted(items),
    cursor: etag === undefined ? { last } : { last, etag },
  };
}

/** Each once, by its number: pages shift while they are read. */
function sorted(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.key, item])).values()]
    .sort((one, other) => one.key - other.key);
}

async function readPage(
  octokit: Octokit,
  { kind, repo, page, etag }: {
    readonly kind: Kind;
    readonly repo: string;
    readonly page: number;
    readonly etag: string | undefined;
  },
): Promise<
  "unchanged" | {
    readonly items: readonly Item[];
    readonly etag: string | undefined;
  }
> {
  const [owner = "", name = ""] = repo.split("/");
  const shared = {
    owner,
    repo: name,
    per_page: PER_PAGE,
    page,
    headers: etag === undefined ? {} : { "if-none-match": etag },
    request: { signal: AbortSignal.timeout(LIMIT_MS) },
  };
  try {
    if (kind === "github_issue") {
      const { data, headers } = await octokit.rest.issues.listForRepo({
        ...shared,
        state: "all",
        sort: "created",
        direction: "desc",
      });
      return {
        etag: headers.etag,
        items: data.map((issue) => ({
          key: issue.number,
          issue,
          label: undefined,
          author: issue.user?.login ?? "",
        })),
      };
    }
    const { data, headers } = await octokit.rest.issues.listEventsForRepo(
      shared,
    );
    return {
      etag: headers.etag,
      items: data.map((event) => ({
        key: event.id,
        issue: event.event === "labeled" ? event.issue ?? undefined : undefined,
        label: event.label?.name ?? undefined,
        author: event.actor?.login ?? "",
      })),
    };
  } catch (error) {
    if (statusOf(error) === 304) return "unchanged";
    throw explain(error, repo);
  }
}

function toEvent(
  kind: Kind,
  { repo, item, configuration }: {
    readonly repo: string;
    readonly item: Item;
    readonly configuration: Readonly<Record<string, unknown>>;
  },
): SeenEvent | undefined {
  const { issue, label, author } = item;
  if (issue === undefined) return undefined;
  const { target = "issues" } = configuration;
  const isPull = issue.pull_request !== undefined &&
    issue.pull_request !== null;
  if (target !== "both" && isPull !== (target === "pull_requests")) {
    return undefined;
  }
  const labels = (issue.labels ?? []).map((one) =>
    typeof one === "string" ? one : one.name ?? ""
  );
  const has = (names: unknown, among: readonly string[]) =>
    Array.isArray(names) &&
    names.some((name) =>
      among.some((one) => one.toLowerCase() === String(name).toLowerCase())
    );
  const wanted = configuration.labels;
  const isWanted = kind === "github_label"
    ? label !== undefined && has(wanted, [label])
    : wanted === undefined || has(wanted, labels);
  if (!isWanted || has(configuration.exclude_labels, labels)) return undefined;
  const what = isPull ? "pull request" : "issue";
  return {
    occurrence: kind === "github_label"
      ? `event:${item.key}`
      : `${repo}#${item.key}`,
    because: kind === "github_label"
      ? `${author} put the label ${label} on ${repo}#${issue.number}`
      : `${what} ${repo}#${issue.number} is new`,
    variables: {
      event: kind === "github_label" ? "labeled" : "opened",
      repo,
      number: String(issue.number),
      title: issue.title,
      link: issue.html_url,
      text: issue.body ?? "",
      author,
      labels: labels.join(", "),
    },
  };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && "status" in error &&
      typeof error.status === "number"
    ? error.status
    : undefined;
}

/** What a refusal means, and when to ask again. */
function explain(error: unknown, repo: string): WatchError {
  const status = statusOf(error);
  const headers = headersOf(error);
  const message = error instanceof Error ? cutText(error.message, 200) : "";
  const retry = Number(headers["retry-after"] ?? NaN);
  const reset = Number(headers["x-ratelimit-reset"] ?? NaN);
  const now = Date.parse(headers.date ?? "");
  const isLimited = status === 429 ||
    (status === 403 &&
      (Number.isFinite(retry) || headers["x-ratelimit-remaining"] === "0"));
  if (isLimited) {
    // Both times are GitHub's own: this machine's clock may be wrong.
    const left = Number.isFinite(retry)
      ? retry
      : Number.isFinite(reset) && Number.isFinite(now)
      ? reset - now / 1_000
      : undefined;
    return new WatchError("GitHub's rate limit is reached", {
      cause: error,
      retrySeconds: left,
    });
  }
  const text = status === 401
    ? "GitHub takes the token no more (401): set another GITHUB_TOKEN"
    : status === 403
    ? `GitHub does not let the token read ${repo} (403): ${message}`
    : status === 404
    ? `GitHub has no repository ${repo} that the token may read (404)`
    : status === undefined || status >= 500
    ? `GitHub cannot be reached: ${message}`
    : `GitHub refused to show ${repo} (${status}): ${message}`;
  return new WatchError(text, { cause: error });
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  const { response } = error as {
    readonly response?: { readonly headers?: Record<string, string> };
  };
  return response?.headers ?? {};
}
