/** A database that goes away behind part of what a call does. */
import { doesNotMatch, match, ok } from "node:assert/strict";
import { dying } from "../support/dying_db.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { startSession } from "../support/sessions.ts";

const QUERY = "?tool_groups=sessions,work_backlog";
const UNTOUCHED_REGEXP = /nothing was (?:read or written|changed)/i;

/** Sends a call; whether it was refused, and how. */
type Send = (
  endpoint: TestEndpoint,
  attempt: number,
) => Promise<{ readonly isError: boolean; readonly text: string }>;

/** What archives two sessions that were just made. */
async function bulkArchive(
  { test }: TestEndpoint,
): Promise<Record<string, unknown>> {
  const ids = await Promise.all([1, 2].map(async () => {
    const { session } = await startSession(test.db, {
      agentRootKey: "gardener",
      withToken: false,
    });
    return String(session.id);
  }));
  return { action: "bulk_archive", session_ids: ids };
}

/** Calls that do more than one thing, or read behind what they did. */
const CALLS: Readonly<Record<string, Send>> = {
  "two archived by a tool": async (endpoint) =>
    await endpoint.call(QUERY, "action_session", await bulkArchive(endpoint)),
  async "two archived by REST"(endpoint) {
    const response = await endpoint.fetch("/api/v1/session_actions", {
      method: "POST",
      headers: { "x-api-key": API_KEY, "content-type": "application/json" },
      body: JSON.stringify(await bulkArchive(endpoint)),
    });
    return { isError: !response.ok, text: await response.text() };
  },
  "an item handed in": (endpoint, attempt) =>
    endpoint.call(QUERY, "append_work_backlog_item", {
      key: `o/web#${attempt + 1}`,
      issue_url: `https://github.com/o/web/issues/${attempt + 1}`,
      repo: "o/web",
      surface: "web",
      title: "Weeds",
      kind: "bug",
      scope_direction: "convergent",
      estimated_cost: "small",
    }),
};

for (const [name, send] of Object.entries(CALLS)) {
  Deno.test(`${name} never says that nothing was done after something was`, async () => {
    await using real = await openEndpoint();
    let halfDone = 0;
    for (let at = 0;; at++) {
      const { db, hasCommitted } = dying(real.test.db, at);
      await using endpoint = await openEndpoint({
        test: { ...real.test, [Symbol.asyncDispose]: () => Promise.resolve() },
        store: {
          isEmbedded: false,
          db: () => Promise.resolve(db),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      });
      const answer = await send(endpoint, at);
      if (!answer.isError) break;
      if (hasCommitted()) {
        halfDone++;
        doesNotMatch(answer.text, UNTOUCHED_REGEXP);
        match(answer.text, /read what stands before trying again/);
      } else match(answer.text, UNTOUCHED_REGEXP);
    }
    ok(halfDone > 0, "It never died half-way");
  });
}
