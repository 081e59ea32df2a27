import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { carriedEnv } from "./carried_env.ts";
import { ConfigError, KEYS, settingsOf, TABLE } from "./config.ts";
import { readConfig } from "./read_config.ts";
import type { Row } from "./setting.ts";

const URL = "https://cortex.example";

async function read(env: Readonly<Record<string, string>>) {
  const all: Readonly<Record<string, string>> = { HOME: "/home/t", ...env };
  return await readConfig(KEYS, {
    flags: {},
    env: (name) => all[name],
    os: "linux",
    uid: 1000,
  });
}

async function problemsOf(
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  try {
    await read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

Deno.test("CORTEX_ settings that fit are taken, and go into another process", async () => {
  const full = {
    CORTEX_URL: URL,
    CORTEX_API_KEY: "key-1",
    CORTEX_ACTOR: "user:42",
    CORTEX_WIRE: "direct",
    CORTEX_SCOPE_ROOT: "org:42",
    CORTEX_RETIRED_ROOT: "user:42",
    CORTEX_SCOPE_OWNER: "user:42",
    CORTEX_CHAT_NODE: "ws:talk",
  };
  const hosted = {
    CORTEX_URL: URL,
    CORTEX_API_KEY: "key-1",
    CORTEX_WIRE: "hosted",
    CORTEX_TENANT_ROOT: "on",
  };
  for (const env of [{}, full, hosted, { CORTEX_SCOPE_ROOT: "org:42" }]) {
    deepEqual(await problemsOf(env), []);
    deepEqual(carriedEnv(await read(env)), env);
  }
  for (const key of settingsOf("cortex", "layout")) {
    const row: Row = TABLE[key];
    ok(row.isCarried, row.name);
  }
});

Deno.test.each<[Record<string, string>, RegExp]>([
  [{ CORTEX_API_KEY: "k" }, /^CORTEX_API_KEY needs CORTEX_URL/],
  [
    { CORTEX_SCOPE_OWNER: "user:42" },
    /^CORTEX_SCOPE_OWNER needs CORTEX_SCOPE_ROOT/,
  ],
  [{ CORTEX_WIRE: "hosted" }, /^CORTEX_WIRE hosted needs CORTEX_URL/],
  [
    { CORTEX_WIRE: "hosted", CORTEX_URL: URL },
    /^CORTEX_WIRE hosted needs CORTEX_API_KEY/,
  ],
  [
    {
      CORTEX_WIRE: "hosted",
      CORTEX_URL: URL,
      CORTEX_API_KEY: "k",
      CORTEX_ACTOR: "user:a",
    },
    /^CORTEX_ACTOR needs the direct wire/,
  ],
  [{ CORTEX_WIRE: "both" }, /^CORTEX_WIRE: "both" is neither/],
  [{ CORTEX_URL: "http://far.example" }, /^CORTEX_URL: is http: and not/],
  [{ CORTEX_URL: "far.example" }, /^CORTEX_URL: is no URL/],
  [{ CORTEX_URL: `${URL}/?a=b` }, /^CORTEX_URL: carries a query/],
  [{ CORTEX_SCOPE_ROOT: "42" }, /^CORTEX_SCOPE_ROOT: Cannot read root "42"/],
  [{ CORTEX_TENANT_ROOT: "on" }, /^CORTEX_TENANT_ROOT: needs the hosted wire/],
  [
    { CORTEX_RETIRED_ROOT: "user:1" },
    /^CORTEX_RETIRED_ROOT: needs CORTEX_SCOPE_ROOT or CORTEX_TENANT_ROOT/,
  ],
  [
    { CORTEX_SCOPE_ROOT: "org:1", CORTEX_RETIRED_ROOT: "org:1" },
    /^CORTEX_RETIRED_ROOT: is the root itself/,
  ],
  [{ CORTEX_ACTOR: "us er:é" }, /^CORTEX_ACTOR: holds a space/],
  [
    { CORTEX_CHAT_NODE: "org:1" },
    /^CORTEX_CHAT_NODE: Cannot read node "org:1"/,
  ],
  [
    { CORTEX_SCOPE_ROOT: "user:1", CORTEX_CHAT_NODE: "user:1/ws:main" },
    /^CORTEX_CHAT_NODE cannot hold conversations: .*begins with the root/,
  ],
])("%j is refused in one line", async (env, text) => {
  const problems = await problemsOf(env as Record<string, string>);
  equal(problems.length, 1, problems.join("\n"));
  match(String(problems[0]), text as RegExp);
});

Deno.test("all problems come at once, with those of other settings, and without the key", async () => {
  const problems = await problemsOf({
    DATABASE_POOL: "1",
    CORTEX_URL: "https://user:pass-9@cortex.example",
    CORTEX_API_KEY: "s3cret key",
    CORTEX_WIRE: "both",
    CORTEX_SCOPE_ROOT: "org:1/x",
    CORTEX_TENANT_ROOT: "on",
    CORTEX_CHAT_NODE: "x",
  });
  ok(problems.length >= 6, problems.join("\n"));
  for (
    const name of [
      "DATABASE_POOL",
      "CORTEX_URL",
      "CORTEX_API_KEY",
      "CORTEX_WIRE",
      "CORTEX_SCOPE_ROOT",
      "CORTEX_TENANT_ROOT",
      "CORTEX_CHAT_NODE",
    ]
  ) {
    ok(problems.some((one) => one.startsWith(name)), name);
  }
  doesNotMatch(problems.join("\n"), /s3cret|pass-9/);
});
