import { deepEqual, equal, match, ok } from "node:assert/strict";
import { doJob } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";

const GROUP = "?tool_groups=triggers";

interface Webhook {
  readonly id: number;
  readonly path: string;
  readonly key: string | null;
  readonly text: string;
}

async function make(
  endpoint: TestEndpoint,
  template: string,
  configuration: Record<string, unknown> = {},
): Promise<Webhook> {
  const { data, text } = await endpoint.call(GROUP, "action_trigger", {
    action: "create",
    name: "From outside",
    agent_root_name: "gardener",
    prompt_template: template,
    trigger_type: "webhook",
    configuration,
  });
  const [{ path, signing_key: key }] = data.webhooks;
  return { id: data.trigger.id, path, key, text };
}

function post(
  endpoint: TestEndpoint,
  path: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> {
  return endpoint.fetch(path, { method: "POST", body, headers });
}

/** Does the jobs there are; the prompts of the sessions that they started. */
async function prompts(endpoint: TestEndpoint): Promise<string[]> {
  const { db } = endpoint.test;
  const jobs = await db.write<{ data: { kind: string } }>(
    "delete from rootcellar_jobs.job where data->>'kind' = 'fire_condition' returning data",
  );
  for (const { data } of jobs) await doJob(fleetOf(endpoint.services), data);
  const rows = await db.read<{ prompt: string }>(
    "select prompt from sessions order by id",
  );
  return rows.map(({ prompt }) => prompt);
}

async function sign(key: string, body: string): Promise<string> {
  const encoder = new TextEncoder();
  const imported = await crypto.subtle.importKey(
    "raw",
    encoder.encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = await crypto.subtle.sign(
    "HMAC",
    imported,
    encoder.encode(body),
  );
  return `sha256=${new Uint8Array(bytes).toHex()}`;
}

Deno.test("a post to a webhook starts a session with what the body says, without any credential", async () => {
  await using endpoint = await openEndpoint();
  const { path, text, id } = await make(
    endpoint,
    "{{title}} by {{author}}: {{body.a.b}} {{body.list.1}} {{body.none}} {{body.a}}",
  );
  match(path, /^\/hooks\/whk_[\w-]{43}$/);
  match(text, /shown only now: POST to `\/hooks\/whk_/);
  const answer = await post(
    endpoint,
    path,
    JSON.stringify({
      title: "{{author}}",
      a: { b: 7 },
      list: ["x", "y"],
      sender: { login: "ada" },
    }),
  );
  deepEqual([answer.status, await answer.json()], [202, { accepted: true }]);
  deepEqual(await prompts(endpoint), ['{{author}} by ada: 7 y  {"b":7}']);
  const shown = await endpoint.call(GROUP, "search_triggers", { id });
  ok(!JSON.stringify(shown).includes(path.slice(7)));
  const [row] = await endpoint.test.db.read<{ text: string }>(
    "select (c.*)::text as text from trigger_conditions c",
  );
  ok(!row?.text.includes(path.slice(7)));
  ok(!endpoint.logged.join().includes(path.slice(7)));
});

Deno.test("forms have names, other texts are text, and a delivery that is sent again fires once", async () => {
  await using endpoint = await openEndpoint();
  const { path } = await make(endpoint, "{{event}}|{{text}}|{{body.who}}");
  await (await post(endpoint, path, "who=me+too&x=1", {
    "x-github-event": "push",
    "x-github-delivery": "d1",
  })).body?.cancel();
  for (let at = 0; at < 2; at++) {
    await (await post(endpoint, path, "plain words", {
      "idempotency-key": "d2",
    })).body?.cancel();
  }
  await (await post(endpoint, path, "null")).body?.cancel();
  deepEqual((await prompts(endpoint)).sort(), [
    "push|who=me+too&x=1|me too",
    "webhook|null|",
    "webhook|plain words|",
  ]);
});

Deno.test("a webhook that asks for signatures takes none but those of its key", async () => {
  await using endpoint = await openEndpoint();
  const { path, key } = await make(endpoint, "{{text}}", { signed: true });
  match(key ?? "", /^whs_/);
  const body = '{"text":"hello"}';
  const good = await sign(String(key), body);
  const cases: readonly (readonly [Record<string, string>, number])[] = [
    [{}, 401],
    [{ "x-hub-signature-256": "sha256=00" }, 401],
    [{ "x-hub-signature-256": await sign("other", body) }, 401],
    [{ "x-hub-signature-256": await sign(String(key), `${body} `) }, 401],
    [{ "x-hub-signature-256": good }, 202],
  ];
  for (const [headers, status] of cases) {
    const answer = await post(endpoint, path, body, headers);
    equal(answer.status, status, JSON.stringify(headers));
    await answer.body?.cancel();
  }
  deepEqual(await prompts(endpoint), ["hello"]);
});

Deno.test("what no webhook takes is refused, says so, and fires nothing", async () => {
  await using endpoint = await openEndpoint();
  const { path, id } = await make(endpoint, "{{text}}");
  const answerOf = async (answer: Response) => [
    answer.status,
    (await answer.json()).error,
  ];
  deepEqual(
    await answerOf(await post(endpoint, "/hooks/whk_nobody", "{}")),
    [404, "not_found"],
  );
  deepEqual(
    await answerOf(await endpoint.fetch(path)),
    [404, "not_found"],
  );
  deepEqual(
    await answerOf(await post(endpoint, path, "x".repeat(64 * 1024 + 1))),
    [413, "body_too_large"],
  );
  await endpoint.call(GROUP, "action_trigger", { action: "toggle", id });
  deepEqual(
    await answerOf(await post(endpoint, path, "{}")),
    [409, "trigger_off"],
  );
  deepEqual(await prompts(endpoint), []);
});

Deno.test("a body of any depth and number of members is taken, and fires", async () => {
  await using endpoint = await openEndpoint();
  const { path } = await make(endpoint, "{{body.k0}}-{{body.k599}}");
  const wide = JSON.stringify(Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`k${at}`, at]),
  ));
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  for (
    const body of [
      wide,
      deep,
      "\0",
      '{"a\\ud800":"\\u0000"}',
      '{"__proto__":{"k0":1}}',
    ]
  ) {
    const answer = await post(endpoint, path, body);
    equal(answer.status, 202);
    await answer.body?.cancel();
  }
  deepEqual((await prompts(endpoint))[0], "0-");
});
