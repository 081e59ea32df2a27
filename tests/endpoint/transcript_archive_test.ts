import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import { API_KEY, openEndpoint } from "../support/endpoint.ts";
import { addSession, addTranscript } from "../support/session_rows.ts";

const PATH = "/api/v1/transcripts.jsonl.gz";
const KEY = { "x-api-key": API_KEY };

async function linesOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await new Response(
    response.body?.pipeThrough(new DecompressionStream("gzip")),
  ).text();
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

Deno.test("the archive has every event of every session, each session before its events", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const none = await endpoint.call("", "get_transcript_archive");
  equal(none.isError, true);
  match(none.text, /no transcript archive yet/);
  equal((await endpoint.fetch(PATH, { headers: KEY })).status, 404);
  const silent = await addSession(db, { title: "silent" });
  const first = await addSession(db, { title: "first" });
  const second = await addSession(db, { title: "second\nline" });
  const many = Array.from({ length: 2_500 }, (_, index) => `said ${index}`);
  await addTranscript(db, first, many);
  await addTranscript(db, first, ["again"]);
  await addTranscript(db, second, ["ä\n{}", "x".repeat(300_000)]);
  const { text, data } = await endpoint.call("", "get_transcript_archive");
  match(text, /\*\*URL:\*\* `http:\/\/localhost\/api\/v1\/transcripts\.jsonl/);
  match(text, /\*\*Sessions:\*\* 2/);
  match(text, /\*\*Size:\*\* about [0-9]+\.[0-9] (KB|MB) in the database/);
  match(text, /curl -fH "X-API-Key: \$API_KEY" -o .* http:\/\/localhost\//);
  equal(data.sessions, 2);
  const response = await endpoint.fetch(PATH, { headers: KEY });
  equal(response.status, 200);
  equal(response.headers.get("content-type"), "application/gzip");
  const lines = await linesOf(response);
  deepEqual(
    lines.filter(({ type }) => type === "session").map(({ id }) => id),
    [first, second],
  );
  equal(lines.some(({ id }) => id === silent), false);
  const events = lines.filter(({ type }) => type === "event");
  deepEqual(
    events.filter(({ session_id }) => session_id === first).map(({ text }) =>
      text
    ),
    [...many, "again"],
  );
  equal(events.at(-2)?.text, "ä\n{}");
  equal(String(events.at(-1)?.text).length, 300_000);
});

Deno.test("the archive is for operators, and a client that leaves ends it", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { session, token } = await startSession(db, {
    agentRootKey: "gardener",
  });
  await addTranscript(
    db,
    session.id,
    Array.from({ length: 3_000 }, () => crypto.randomUUID().repeat(20)),
  );
  const refused = await endpoint.fetch(PATH, {
    headers: { authorization: `Bearer ${token}` },
  });
  equal(refused.status, 403);
  await refused.body?.cancel();
  const response = await endpoint.fetch(PATH, { headers: KEY });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await rejects(linesOf(new Response("no gzip")));
});
