import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ask } from "../../fleet/elicitations/ask.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { startSession } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { recordUsage, type RequestUsage } from "../../store/costs/mod.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { leaseTurn } from "../support/leases.ts";
import { postForm, signIn } from "../support/pages.ts";
import { says } from "../support/says.ts";

const SCHEMA = {
  type: "object",
  properties: {
    where: { type: "string", enum: ["north", "south"] },
    whom: { type: "string", format: "email", title: "Whom to tell" },
    a: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    constructor: { type: "string", format: "hostname" },
  },
  required: ["where"],
};

/** A session whose turn is under way. */
async function running(
  endpoint: TestEndpoint,
  agentRuntime: string,
): Promise<{ readonly id: number; readonly turnId: number }> {
  const { session } = await startSession(fleetOf(endpoint.services), {
    agentRoot: "gardener",
    agentRuntime,
    drivenBy: "runner",
    prompt: "First:\n\tdig",
    withToken: false,
  });
  await leaseTurn(endpoint.test.db, session.id);
  const [turn] = await endpoint.test.db.read<{ id: string }>(
    "select id from turns where session_id = $1",
    [session.id],
  );
  return { id: session.id, turnId: Number(turn?.id) };
}

async function pageOf(
  endpoint: TestEndpoint,
  id: number,
): Promise<{ readonly page: string; readonly cookie: string }> {
  const cookie = await signIn(endpoint);
  const response = await endpoint.fetch(`/sessions/${id}`, {
    headers: { cookie },
  });
  equal(response.status, 200);
  return { page: await response.text(), cookie };
}

/** Parts of a page between two marks. */
function partsOf(page: string, from: string, to: string): string[] {
  return page.split(from).slice(1).map((one) => one.split(to)[0] ?? "");
}

Deno.test("prompts, words, tools' output and differences keep their lines; a command's lines are lines, an agent's pieces are joined", async () => {
  await using endpoint = await openEndpoint();
  for (
    const [runtime, words] of [["command", "one\ntwo"], [
      "opencode",
      "onetwo",
    ]] as const
  ) {
    const { id } = await running(endpoint, runtime);
    const lines = Array.from({ length: 20 }, (_, n) => `\t${n}`);
    await says(endpoint.test.db, id, [
      ["text", { text: "one" }],
      ["text", { text: "two" }],
      ["tool", {
        toolCallId: "1",
        title: "Edit",
        content: [
          {
            type: "content",
            content: { type: "text", text: "\u001b[31ma\u001b[0m\nb" },
          },
          {
            type: "diff",
            path: "f",
            oldText: lines.join("\n"),
            newText: lines.with(2, "x").with(17, "y").join("\n"),
          },
        ],
      }],
    ]);
    const { page } = await pageOf(endpoint, id);
    ok(page.includes("<bdi>First:\n\tdig</bdi>"));
    ok(page.includes(`<bdi>${words}</bdi>`), runtime);
    ok(page.includes("<bdi>a\nb</bdi>"));
    ok(page.includes("<bdi>\t5</bdi>"));
    ok(page.includes("8 lines as before"));
    ok(!page.includes("<bdi>\t9</bdi>"));
  }
});

Deno.test("each turn says its list price, one without a price says so, and one that asked no model says nothing", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const cells = async (usage: Partial<RequestUsage>[]) => {
    const { id, turnId } = await running(endpoint, "command");
    await recordUsage(
      db,
      usage.map((one, n) => ({
        requestId: `${id} ${n}`,
        sessionId: id,
        turnId,
        agentRoot: "gardener",
        model: "claude-haiku-4-5",
        isSubagent: false,
        inputTokens: 1_000_000,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
        cacheCreation5mTokens: null,
        webSearchRequests: 0,
        reportedUsd: null,
        isPartial: false,
        calledAt: new Date(),
        ...one,
      })),
    );
    const { page } = await pageOf(endpoint, id);
    const [turns = ""] = partsOf(page, 'id="turns"', "</section>");
    return partsOf(turns, "<td", "</td>").slice(-1)
      .map((one) => one.replace(/^[^>]*>|<[^>]*>/g, ""));
  };
  deepEqual(await cells([]), [""]);
  deepEqual(await cells([{ model: "home-made" }]), ["no price"]);
  const [both = ""] = await cells([{}, { outputTokens: 1_000 }]);
  const [first = ""] = await cells([{}]);
  match(first, /^\$\d+\.\d\d$/);
  ok(Number(both.slice(1)) > 2 * Number(first.slice(1)) - 0.005, both);
  // What a turn of another session cost is not this one's.
  deepEqual(await cells([]), [""]);
});

Deno.test("[behaviour 2] get_session of a running session tells its runner and its last event, and how long each was silent", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { id, turnId } = await running(endpoint, "command");
  await db.write(
    "update runners set name = 'attic', seen_at = now() - interval '40 seconds'",
  );
  const read = async () =>
    (await endpoint.call("", "get_session", { id })).text;
  match(await read(), /Runner:\*\* attic, last heard of \S+ \(4\d s ago\)/);
  await db.write(
    `insert into turn_events (turn_id, seq, session_id, at, kind, payload)
     values ($1, 1, $2, now() - interval '10 minutes', 'text', '{}')`,
    [turnId, id],
  );
  await db.write(
    "update sessions set last_timeline_entry_at = now() - interval '10 minutes'",
  );
  match(await read(), /the last at \S+ \(10 min ago\)/);
});

Deno.test("a question's fields stand in its agent's order, nothing is chosen beforehand, and a refused answer keeps what was written", async () => {
  await using endpoint = await openEndpoint();
  const { id } = await running(endpoint, "command");
  await ask(fleetOf(endpoint.services), UNRESTRICTED, id, {
    message: "Where?\nSay it",
    requestedSchema: SCHEMA,
  });
  const { page, cookie } = await pageOf(endpoint, id);
  const [form = ""] = partsOf(page, '<form class="write question"', "</form>");
  deepEqual(
    form.match(/<(?:select|input|textarea)[^>]*name="f\d"[^>]*>/g)?.map((one) =>
      one.replace(/ (?:id|dir|rows)="[^"]*"/g, "")
    ),
    [
      '<select name="f0" required>',
      '<input type="email" name="f1" value="">',
      '<input type="number" step="1" min="1" max="9" name="f2" value="3">',
      '<textarea name="f3">',
    ],
  );
  ok(!form.includes(" selected"));
  match(form, /<option value="">Choose…<\/option>/);
  const [number = ""] = /\/questions\/\d+/.exec(form) ?? [];
  const refused = await postForm(endpoint, `/sessions/${id}${number}`, {
    action: "accept",
    f0: "south",
    f1: "<nobody>",
    f2: "77",
  }, { headers: { cookie, origin: "http://localhost" } });
  equal(refused.status, 409);
  const again = await refused.text();
  match(again, /role="alert"/);
  match(again, /<option value="south" selected>/);
  match(again, /value="&lt;nobody&gt;"/);
  match(again, /value="77"/);
});

Deno.test("a session that waits because its login is at a limit everywhere says so, in lists, too, and until when", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { session } = await startSession(fleetOf(endpoint.services), {
    agentRoot: "gardener",
    agentRuntime: "codex",
    drivenBy: "runner",
    prompt: "Dig",
    withToken: false,
  });
  const isRefused = async () => {
    const { text } = await endpoint.call("", "get_session", {
      id: session.id,
    });
    const { page } = await pageOf(endpoint, session.id);
    const isOnPage = page.includes("login is at its limit until");
    equal(isOnPage, text.includes("Login refused"));
    const listed = await endpoint.call("", "quick_search_sessions", {
      id: session.id,
    });
    equal(
      isOnPage,
      /its agent's login is at a limit until 2100/.test(listed.text),
    );
    const board = await endpoint.fetch("/board", {
      headers: { cookie: await signIn(endpoint) },
    });
    equal(
      isOnPage,
      (await board.text()).includes("Parked: its login is at a limit"),
    );
    return isOnPage;
  };
  equal(await isRefused(), false);
  await db.write(
    `insert into runners (name, token_hash, runtimes, seen_at)
     select 'r' || n, sha256(('r' || n)::bytea), '{codex}', now()
     from generate_series(1, 2) n`,
  );
  await db.write(
    `insert into logins (runtime, account, rejected_until)
     select 'codex', 'runner-' || id, ('2100-01-0' || id)::timestamptz from runners`,
  );
  equal(await isRefused(), true);
  const { text } = await endpoint.call("", "get_session", {
    id: session.id,
  });
  match(
    text,
    /codex is used up at every runner that runs it, until 2100-01-01/,
  );
  await db.write(
    "update logins set rejected_until = null where account = 'runner-2'",
  );
  equal(await isRefused(), false);
});

Deno.test("the page of a session shows the address of its repository without the password in it", async () => {
  await using endpoint = await openEndpoint();
  const { session } = await startSession(fleetOf(endpoint.services), {
    gitRoot: "https://me:pass-of-git@example.org/x.git",
    drivenBy: "runner",
    prompt: "dig",
    withToken: false,
  });
  const { page } = await pageOf(endpoint, session.id);
  match(page, /example\.org\/x\.git/);
  ok(!page.includes("pass-of-git"), page);
});
