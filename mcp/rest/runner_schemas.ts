/**
 * What runners send and are answered, as schemas. Fields that a later runner adds are refused
 * by name, so that none is taken for heard.
 *
 * @module
 */
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  wordOf,
} from "../schema.ts";

const NUMBER = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;
const WHOLE = {
  type: "integer",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;
const SHORT = { type: "string", maxLength: 200 } as const;
const LONG = { type: "string", maxLength: 10_000 } as const;
const TURN = { ...TEXT, description: "The turn's number" } as const;

/** `POST /hello`. */
export const HELLO_INPUT = inputOf({
  boot_id: SHORT,
  version: SHORT,
  slots: { ...WHOLE, maximum: 1_000 },
  labels: { ...listOf(SHORT), maxItems: 100 },
  platform: SHORT,
  has_sweep: { type: "boolean" },
  runtimes: {
    ...listOf(objectOf({
      name: SHORT,
      models: { ...listOf(SHORT), maxItems: 1_000 },
      login: objectOf({ state: wordOf(["found", "missing", "unknown"]) }, {
        account: orNull(SHORT),
      }),
    }, { version: orNull(SHORT) })),
    maxItems: 100,
  },
  trusts_catalogs: { type: "boolean" },
  variables: {
    ...listOf({ type: "string", maxLength: 1_000 }),
    maxItems: 5_000,
  },
}, [
  "boot_id",
  "version",
  "slots",
  "labels",
  "platform",
  "has_sweep",
  "runtimes",
  "variables",
]);

/** `POST /lease`. */
export const LEASE_INPUT = inputOf({
  request_id: { type: "string", minLength: 32, maxLength: 200 },
  slots: { ...WHOLE, maximum: 1_000 },
  runtimes: { ...listOf(SHORT), maxItems: 100 },
  turns_here: { ...listOf(NUMBER), maxItems: 1_000 },
  done_commands: {
    ...listOf(objectOf({ id: NUMBER, ok: { type: "boolean" }, detail: LONG })),
    maxItems: 100,
  },
  wait_ms: WHOLE,
}, ["request_id", "slots", "runtimes", "turns_here"]);

/** `POST /turns/{turn}/beat`. */
export const BEAT_INPUT = inputOf({
  turn: TURN,
  lease_no: NUMBER,
  phase: wordOf(["queued", "leased", "spawned", "delivered", "ended"]),
  process: orNull(objectOf({
    pid: WHOLE,
  }, { start_time: orNull(SHORT), boot_id: orNull(SHORT) })),
  last_seq: WHOLE,
  conversation_id: orNull({ type: "string", maxLength: 500 }),
}, ["turn", "lease_no", "phase", "last_seq"]);

/** `POST /turns/{turn}/events`. */
export const EVENTS_INPUT = inputOf({
  turn: TURN,
  lease_no: NUMBER,
  first_seq: NUMBER,
  events: {
    ...listOf(objectOf({
      seq: NUMBER,
      after_ms: WHOLE,
      kind: wordOf([
        "spawned",
        "delivered",
        "conversation",
        "text",
        "thought",
        "tool",
        "plan",
        "question",
        "notice",
        "stderr",
        "usage",
        "raw",
        "ended",
      ]),
      payload: { type: "object" },
    })),
    maxItems: 20_000,
  },
}, ["turn", "lease_no", "first_seq", "events"]);

const COUNT_OR_NULL = orNull(WHOLE);

/** `POST /turns/{turn}/end`. */
export const END_INPUT = inputOf({
  turn: TURN,
  lease_no: NUMBER,
  final_seq: WHOLE,
  outcome: wordOf(["done", "failed", "interrupted", "parked", "lost"]),
  class: orNull(wordOf([
    "overloaded",
    "hung",
    "crashed",
    "lost",
    "usage_limit",
    "asked_to_wait",
    "agent_error",
    "auth_required",
    "oauth_required",
    "billing",
    "clone_refused",
    "command_untrusted",
    "disk_full",
    "git_missing",
    "mcp_unreachable",
    "model_unavailable",
    "over_memory",
    "over_processes",
    "refused",
    "runtime_unavailable",
    "too_long",
    "tree_broken",
  ])),
  detail: LONG,
  parked_ms: orNull({ type: "number", minimum: 0, maximum: 31_536_000_000 }),
  conversation_id: orNull({ type: "string", maxLength: 500 }),
  usage: {
    ...listOf(objectOf({
      request_key: { type: "string", minLength: 1, maxLength: 300 },
      is_partial: { type: "boolean" },
    }, {
      model: orNull(SHORT),
      input_tokens: COUNT_OR_NULL,
      output_tokens: COUNT_OR_NULL,
      cache_read_tokens: COUNT_OR_NULL,
      cache_write_tokens: COUNT_OR_NULL,
      reported_usd: orNull({ type: "number" }),
    })),
    maxItems: 1_000,
  },
  git: orNull(objectOf({
    dirty: { ...listOf({ type: "string", maxLength: 5_000 }), maxItems: 100 },
    dirty_count: WHOLE,
    unpushed: WHOLE,
  }, {
    before: orNull(SHORT),
    after: orNull(SHORT),
    branch: orNull({ type: "string", maxLength: 500 }),
  })),
  killed_leftovers: WHOLE,
  commands: {
    ...listOf(objectOf({
      id: NUMBER,
      how: wordOf(["asked", "terminated", "killed", "void"]),
      after_ms: WHOLE,
    })),
    maxItems: 100,
  },
  limits: orNull(objectOf({
    windows: {
      ...listOf(objectOf({
        name: SHORT,
      }, {
        utilization: orNull({ type: "number" }),
        resets_in_ms: orNull({ type: "number" }),
      })),
      maxItems: 100,
    },
  }, { rejected_for_ms: orNull({ type: "number", minimum: 0 }) })),
}, [
  "turn",
  "lease_no",
  "final_seq",
  "outcome",
  "detail",
  "usage",
  "killed_leftovers",
  "commands",
]);

/** `POST /turns/{turn}/release`. */
export const RELEASE_INPUT = inputOf({
  turn: TURN,
  lease_no: NUMBER,
  detail: LONG,
}, ["turn", "lease_no", "detail"]);

/** `GET /turns/{turn}/commands`. */
export const COMMANDS_INPUT = inputOf({
  turn: TURN,
  lease_no: NUMBER,
  wait_ms: WHOLE,
}, ["turn", "lease_no"]);

/** `GET /artifacts/{digest}`. */
export const ARTIFACT_INPUT = inputOf({
  digest: { type: "string", pattern: "^[0-9a-f]{64}$" },
}, ["digest"]);

/** Answer to hello. */
export const HELLO_OUTPUT = objectOf({
  runner_id: COUNT,
  name: TEXT,
  durations: objectOf({
    lease_ms: COUNT,
    beat_ms: COUNT,
    fence_interrupt_ms: COUNT,
    fence_kill_ms: COUNT,
    interrupt_ms: COUNT,
    terminate_ms: COUNT,
    exit_ms: COUNT,
    silence_ms: COUNT,
    reach_ms: COUNT,
    retry_ms: listOf(COUNT),
    poll_ms: COUNT,
    flush_ms: COUNT,
  }),
});

/** Texts by name. */
const TEXTS = { type: "object", additionalProperties: TEXT } as const;

/** Files of a folder by their digests. */
const FILES = listOf(objectOf({ path: TEXT, sha256: TEXT }));

/** A turn with everything that it takes to carry it out. */
const LEASED_TURN = objectOf({
  turn_id: COUNT,
  session_id: COUNT,
  ordinal: COUNT,
  kind: wordOf(["start", "message", "wake", "recovery", "summary"]),
  lease_no: COUNT,
  token: TEXT,
  mcp_path: TEXT,
  prompt: TEXT,
  system_text: TEXT,
  conversation_id: orNull(TEXT),
  recap: TEXT,
  runtime: TEXT,
  model: orNull(TEXT),
  command: orNull(listOf(TEXT)),
  is_trusted: FLAG,
  permission: wordOf(["all", "ask", "read"]),
  max_turn_ms: COUNT,
  tree: objectOf({
    url: orNull(TEXT),
    branch: orNull(TEXT),
    subdirectory: orNull(TEXT),
    fork: orNull(objectOf({ commit: TEXT, session_id: COUNT })),
  }),
  mcp_servers: listOf(objectOf({
    name: TEXT,
    type: wordOf(["http", "stdio"]),
    url: orNull(TEXT),
    headers: TEXTS,
    command: listOf(TEXT),
    env: TEXTS,
    is_trusted: FLAG,
  })),
  skills: listOf(objectOf({ name: TEXT, files: FILES })),
  hooks: listOf(objectOf({
    name: TEXT,
    event: TEXT,
    command: TEXT,
    args: listOf(TEXT),
    env: TEXTS,
    matcher: orNull(TEXT),
    timeout_ms: orNull(COUNT),
    files: FILES,
    is_trusted: FLAG,
  })),
  left_out: listOf(TEXT),
  cause: orNull(TEXT),
});

/** Answer to lease. */
export const LEASE_OUTPUT = objectOf({
  turn: orNull(LEASED_TURN),
  commands: listOf(objectOf({
    id: COUNT,
    kind: wordOf(["remove_tree", "save_bundle", "say_hello", "clean_up"]),
    session_id: orNull(COUNT),
  })),
  is_draining: FLAG,
});

const TURN_COMMANDS = listOf(objectOf({
  id: COUNT,
  kind: wordOf(["interrupt", "stop"]),
}));

/** Answer to a wait for commands. */
export const COMMANDS_OUTPUT = objectOf({ commands: TURN_COMMANDS });

/** Answer to a beat. */
export const BEAT_OUTPUT = objectOf({
  commands: TURN_COMMANDS,
  has_called_mcp: FLAG,
});

/** Answer to events. */
export const EVENTS_OUTPUT = objectOf({ next_seq: COUNT });

/** Answer to the end of a turn, and to a release. */
export const END_OUTPUT = objectOf({ session_status: TEXT, next: TEXT });

/** Answer of an artifact. */
export const ARTIFACT_OUTPUT = objectOf({ base64: TEXT });
