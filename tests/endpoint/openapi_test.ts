import { deepEqual, equal, ok } from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  API_KEY,
  openEndpoint,
  ROOTS,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { closed } from "../support/answers.ts";
import { addSession, addTranscript } from "../support/session_rows.ts";
import { endRequest, leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench } from "../support/turns.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const HEADERS = { "x-api-key": API_KEY, "content-type": "application/json" };

async function documentOf(endpoint: TestEndpoint): Promise<Document> {
  const response = await endpoint.fetch("/api/v1/openapi.json", {
    headers: HEADERS,
  });
  equal(response.status, 200);
  return await response.json();
}

Deno.test("the OpenAPI document is valid by the specification's own schema", async () => {
  await using endpoint = await openEndpoint();
  const result = await new Validator().validate(
    await documentOf(endpoint) as never,
  );
  ok(result.valid, JSON.stringify(result.errors));
});

/** A browser that wants pushes. */
const BROWSER = {
  endpoint: "https://push.example.org/x",
  keys: {
    p256dh: new Uint8Array(65).toBase64({ alphabet: "base64url" }),
    auth: new Uint8Array(16).toBase64({ alphabet: "base64url" }),
  },
};

/** A trigger. */
const TRIGGER = {
  agent_root_name: "gardener",
  prompt_template: "x",
  trigger_type: "webhook",
  configuration: { signed: true },
};

/** An item of the backlog. */
const ITEM = {
  repo: "o/r",
  surface: "web",
  title: "T",
  kind: "bug",
  scope_direction: "convergent",
  estimated_cost: "small",
  issue_url: "https://github.com/o/r/issues/1",
};

Deno.test("every path and method of the OpenAPI document answers as it says", async () => {
  await using endpoint = await openEndpoint({
    roots: { ...ROOTS, router: { name: "router" } },
  });
  const document = await documentOf(endpoint);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(closed(document) as never, "api");
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "put_root_record", {
    collection: "free",
    key: "k",
    data: { a: 1 },
  });
  for (const key of ["a", "b", "c"]) {
    await endpoint.call(
      "?tool_groups=work_backlog",
      "append_work_backlog_item",
      { ...ITEM, key },
    );
  }
  const agent = await addSession(endpoint.test.db, { driven_by: "runner" });
  const over = await addSession(endpoint.test.db, {
    status: "archived",
    wait_reason: null,
  });
  await addTranscript(endpoint.test.db, over, ["said"]);
  for (const name of ["first", "second"]) {
    await endpoint.call("?tool_groups=triggers", "action_trigger", {
      ...TRIGGER,
      action: "create",
      name,
    });
  }
  const values: Record<string, string> = {
    session: "walked",
    namespace: "gardener",
    collection: "free",
    key: "k",
    client: "codex",
    filter: '{"a":1}',
    status: "waiting",
    agent_root: "gardener",
    order: "newest",
    tool_groups: "root_data",
    request_id: "walked-question",
  };
  // In a query it would narrow to one session.
  const inPath: Record<string, string> = { session_id: "walked" };
  const bodies: Record<string, unknown> = {
    start_session: { agent_root: "gardener", slug: "walked" },
    start_agent_session: { agent_root: "gardener", slug: "agent" },
    action_session: { action: "toggle_favorite" },
    action_sessions: { action: "refresh_all" },
    manage_messages: { action: "create", content: "hello" },
    wake_later: { wake_at: "2199-01-01T00:00", prompt: "wake" },
    wake_on_session: {
      watched_session_id: 1,
      event_names: ["session_failed"],
      prompt: "wake",
    },
    save_outcome_analysis: {
      root: {
        id: "S0",
        trigger: { kind: "New", source: "user" },
        goal: { text: "g", kind: "Plan" },
        outcome: { kind: "Success", explanation: "e" },
        children: [],
      },
    },
    manage_categories: { action: "create", name: "c" },
    send_push_notification: { session_id: "walked", message: "m" },
    action_notification: { action: "mark_all_read" },
    create_trigger: { ...TRIGGER, name: "third" },
    subscribe_to_push: BROWSER,
    unsubscribe_from_push: { endpoint: BROWSER.endpoint },
    update_trigger: { name: "renamed" },
    ask: { message: "Red?", request_id: "walked-question" },
    respond_to_elicitation: { action_type: "accept" },
    record_gate_decision: { gate: "pr_merge", surface: "web", entry: {} },
    append_work_backlog_item: { ...ITEM, key: "d" },
    remove_work_backlog_item: { reason: "done" },
    change_spot_policy: { action: "set_gating", enabled: false },
  };
  // Where a name means something else, or the item before is no more.
  const own: Record<string, Record<string, string>> = {
    search_sessions: { order: "created_desc" },
    get_session_details: { id: "walked" },
    get_notifications: { status: "unread" },
    manage_messages: { session_id: String(agent) },
    wake_later: { session_id: String(agent) },
    wake_on_session: { session_id: String(agent) },
    save_outcome_analysis: { session_id: String(over) },
    get_outcome_analysis: { session_id: String(over) },
    list_triggers: { status: "enabled" },
    get_trigger: { id: "1" },
    update_trigger: { id: "1" },
    toggle_trigger: { id: "1" },
    invoke_trigger: { id: "1" },
    delete_trigger: { id: "2" },
    get_work_backlog: { status: "queued" },
    get_gate_decision: { id: "1" },
    act_on_health: { action: "exit_queue_recovery_mode" },
    pin_work_backlog_item: { id: "1" },
    unpin_work_backlog_item: { id: "1" },
    place_work_backlog_item: { id: "1" },
    remove_work_backlog_item: { id: "2" },
    start_work_backlog_item: { id: "3" },
  };
  const operations = Object.entries(document.paths).flatMap(
    ([path, methods]) =>
      // A runner's token opens these; they have a walk of their own.
      path.startsWith("/runner/")
        ? []
        : Object.entries(methods).map(([method, operation]) => ({
          path,
          method,
          operation,
        })),
  );
  // The session that the others ask for is registered first, archived last.
  const order = [
    "start_session",
    "save_outcome_analysis",
    "",
    "archive_session",
  ];
  const rank = ({ operation }: typeof operations[number]) =>
    order.includes(operation.operationId)
      ? order.indexOf(operation.operationId)
      : order.indexOf("");
  operations.sort((one, other) => rank(one) - rank(other));
  equal(
    new Set(operations.map((one) => one.operation.operationId)).size,
    operations.length,
  );
  const seen: string[] = [];
  for (const { path, method, operation } of operations) {
    const parameters = operation.parameters ?? [];
    const known = { ...values, ...own[operation.operationId] };
    const search = new URLSearchParams(
      parameters.flatMap(({ name, in: place }) =>
        place === "query" && known[name] !== undefined
          ? [[name, known[name] ?? ""]]
          : []
      ),
    );
    const target = `/api/v1${
      path.replaceAll(/\{([a-z_]+)\}/g, (_all, name) =>
        known[name] ?? inPath[name] ?? "")
    }`;
    const body = bodies[operation.operationId];
    const response = await endpoint.fetch(`${target}?${search}`, {
      method: method.toUpperCase(),
      headers: HEADERS,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const name = `${method} ${path}`;
    const type = response.headers.get("content-type") ?? "";
    if (/^(application\/gzip|text\/event-stream)/.test(type)) {
      await response.body?.cancel();
      seen.push(name);
      continue;
    }
    const answer = await response.json();
    const status = String(response.status);
    ok(
      response.ok && status in operation.responses,
      `${name}: ${status} ${JSON.stringify(answer)}`,
    );
    checkAnswer(ajv, { path, method, status, answer });
    seen.push(name);
  }
  // A route that is added has to show up here by itself; one that is lost is
  // noticed.
  deepEqual(seen.toSorted(), [
    "get /catalog",
    "get /catalog/roots",
    "get /categories",
    "get /configs",
    "get /costs",
    "get /elicitations",
    "get /elicitations/{request_id}",
    "get /gate_decisions",
    "get /gate_decisions/{id}",
    "get /health",
    "get /notifications",
    "get /push/key",
    "get /root_data/collections",
    "get /root_data/namespaces",
    "get /root_data/record",
    "get /root_data/records",
    "get /search/sessions",
    "get /sessions",
    "get /sessions/{id}/details",
    "get /sessions/{session_id}/messages",
    "get /sessions/{session_id}/outcome_analysis",
    "get /sessions/{session_id}/provenance",
    "get /sessions/{session}",
    "get /sessions/{session}/connection",
    "get /sessions/{session}/transcript",
    "get /sessions/{session}/transcript/events",
    "get /spot_policy",
    "get /transcripts.jsonl.gz",
    "get /triggers",
    "get /triggers/{id}",
    "get /work_backlog",
    "post /agent_sessions",
    "post /categories",
    "post /elicitations/{request_id}/respond",
    "post /gate_decisions",
    "post /health/{action}",
    "post /notifications",
    "post /notifications/actions",
    "post /push/subscriptions",
    "post /push/subscriptions/delete",
    "post /session_actions",
    "post /sessions",
    "post /sessions/{session_id}/actions",
    "post /sessions/{session_id}/messages",
    "post /sessions/{session_id}/outcome_analysis",
    "post /sessions/{session_id}/wakes",
    "post /sessions/{session_id}/watches",
    "post /sessions/{session}/archive",
    "post /sessions/{session}/elicitations",
    "post /spot_policy",
    "post /triggers",
    "post /triggers/{id}/delete",
    "post /triggers/{id}/invoke",
    "post /triggers/{id}/toggle",
    "post /triggers/{id}/update",
    "post /work_backlog",
    "post /work_backlog/{id}/pin",
    "post /work_backlog/{id}/place",
    "post /work_backlog/{id}/remove",
    "post /work_backlog/{id}/start",
    "post /work_backlog/{id}/unpin",
  ]);
});

/** Whether an answer is what the document says of it. */
function checkAnswer(
  ajv: Ajv2020,
  { path, method, status, answer }: {
    readonly path: string;
    readonly method: string;
    readonly status: string;
    readonly answer: unknown;
  },
): void {
  const pointer = [
    "paths",
    path,
    method,
    "responses",
    status,
    "content",
    "application/json",
    "schema",
  ].map((part) =>
    encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))
  ).join("/");
  const validate = ajv.compile({ $ref: `api#/${pointer}` });
  ok(
    validate(answer),
    `${method} ${path}: ${JSON.stringify(validate.errors)}`,
  );
}

Deno.test("the protocol of runners answers as the OpenAPI document says, to a runner's token", async () => {
  await using bench = await openTurnBench();
  const { endpoint } = bench;
  const document = await documentOf(endpoint);
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(closed(document) as never, "api");
  const skill = "---\nname: s\n---";
  await Deno.mkdir(`${endpoint.folder}/skills/s`, { recursive: true });
  await Deno.writeTextFile(`${endpoint.folder}/skills/s/SKILL.md`, skill);
  await Deno.writeTextFile(
    `${endpoint.folder}/skills.json`,
    JSON.stringify({ s: { path: "./skills/s" } }),
  );
  await Deno.writeTextFile(
    `${endpoint.folder}/air-roots.json`,
    JSON.stringify(ROOTS),
  );
  await endpoint.setRootsText(JSON.stringify({
    $schema: "https://pulsemcp.github.io/air/schemas/air.schema.json",
    name: "test",
    roots: ["./air-roots.json"],
    skills: ["./skills.json"],
  }));
  const seen: string[] = [];
  const call = async (
    method: string,
    path: string,
    args: Readonly<Record<string, unknown>>,
    names: Readonly<Record<string, string>> = {},
  ) => {
    const target = path.replaceAll(
      /\{([a-z_]+)\}/g,
      (_all, name) => names[name] ?? "",
    );
    const query = method === "get"
      ? `?${new URLSearchParams(args as Record<string, string>)}`
      : "";
    const response = await endpoint.fetch(`/api/v1${target}${query}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${bench.token}`,
        "content-type": "application/json",
      },
      ...(method === "get" ? {} : { body: JSON.stringify(args) }),
    });
    const answer = await response.json();
    equal(response.status, 200, `${path}: ${JSON.stringify(answer)}`);
    checkAnswer(ajv, { path, method, status: "200", answer });
    seen.push(`${method} ${path}`);
    return answer;
  };
  await call("post", "/runner/hello", {
    boot_id: "b",
    version: "1",
    slots: 1,
    labels: [],
    platform: "linux-x86_64",
    has_sweep: true,
    runtimes: [],
    variables: [],
    trusts_catalogs: false,
  });
  const lease = async () => {
    await bench.start("x");
    const { turn } = await call("post", "/runner/lease", { ...leaseRequest() });
    return { names: { turn: String(turn.turn_id) }, no: turn.lease_no };
  };
  const { names, no: lease_no } = await lease();
  const at = "/runner/turns/{turn}";
  await call("post", `${at}/beat`, {
    lease_no,
    phase: "leased",
    last_seq: 0,
  }, names);
  await call("post", `${at}/events`, {
    lease_no,
    first_seq: 1,
    events: [{ seq: 1, after_ms: 0, kind: "text", payload: { text: "x" } }],
  }, names);
  await call("get", `${at}/commands`, { lease_no, wait_ms: 0 }, names);
  await call(
    "post",
    `${at}/end`,
    { ...endRequest({ lease_no, final_seq: 1 }) },
    names,
  );
  const second = await lease();
  await call("post", `${at}/release`, {
    lease_no: second.no,
    detail: "over",
  }, second.names);
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(skill)),
  ).toHex();
  await call("get", "/runner/artifacts/{digest}", {}, { digest });
  deepEqual(
    [...new Set(seen)].sort(),
    Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith("/runner/")
        ? Object.keys(methods).map((method) => `${method} ${path}`)
        : []
    ).sort(),
  );
});
