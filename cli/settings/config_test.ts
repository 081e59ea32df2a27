import {
  deepEqual,
  doesNotMatch,
  equal,
  match,
  ok,
  rejects,
} from "node:assert/strict";
import { carriedEnv } from "./carried_env.ts";
import {
  type Config,
  ConfigError,
  flagOf,
  type Given,
  type Key,
  KEYS,
  SETTINGS,
  settingsOf,
  TABLE,
} from "./config.ts";
import { readConfig } from "./read_config.ts";
import type { Row } from "./setting.ts";

type Words = Readonly<Record<string, string>>;

async function read<K extends Key>(
  keys: readonly K[],
  env: Words,
  flags: Words = {},
): Promise<Config<K> & Given> {
  const all: Words = { HOME: "/home/t", ...env };
  return await readConfig(keys, {
    flags,
    env: (name) => all[name],
    os: "linux",
    uid: 1000,
  });
}

/** Texts of which each kind of value takes some. */
const TEXTS = [
  '["/usr/bin/agent", "--quiet"]',
  "on",
  "7",
  "1024",
  "debug",
  "word",
  "two,words",
  "old=new,older=new",
  "/srv/rootcellar",
  "postgres://u:p@h:5432/d",
  "example.org,[::1]",
];

Deno.test("a flag is its variable in lower case with dashes, and --home", () => {
  for (const { key, name, flag } of SETTINGS) {
    equal(flag, flagOf(key));
    equal(
      flag,
      key === "home" ? "home" : name.toLowerCase().replaceAll("_", "-"),
    );
  }
});

Deno.test("every setting is written so that it is read again, and is unset when blank", async () => {
  for (const key of KEYS) {
    const row: Row = TABLE[key];
    const parsed = TEXTS.map((text) => row.parse(text, row.name))
      .filter((one) => one.ok);
    ok(parsed.length > 0, row.name);
    for (const { value } of parsed) {
      // Written again, it says the same: a path is absolute from then on.
      const text = row.write(value);
      const again = row.parse(text, row.name);
      equal(again.ok && row.write(again.value), text);
    }
    const unset = await read([key], {});
    deepEqual(await read([key], { [row.name]: " " }), unset);
    equal(unset.given.size, 0);
  }
});

Deno.test("a flag wins over its variable, and only named settings are read", async () => {
  const env = { PORT: "1", HOST: "h", DATABASE_POOL: "none of this verb's" };
  deepEqual(await read(["port", "host"], env, { port: "2" }), {
    port: 2,
    host: "h",
    given: new Set(["port", "host"]),
  });
});

Deno.test("another process is told what was set, and what it cannot find", async () => {
  const keys = settingsOf("database", "catalog", "layout", "cortex");
  deepEqual(carriedEnv(await read(keys, {})), {});
  const env = {
    ROOTCELLAR_HOME: "/home/t/.local/share/rootcellar",
    DATABASE_POOL: "9",
    CATALOG_ALIASES: "a=b",
    CORTEX_SCOPE_ROOT: "org:42",
  };
  const { DATABASE_POOL: _, ...told } = env;
  deepEqual(carriedEnv(await read(keys, env), { catalog: "/found.json" }), {
    ...told,
    CATALOG: "/found.json",
  });
});

Deno.test("no secret stands in a problem, whatever is wrong with it", async () => {
  const env = {
    DATABASE_URL: "mysql://u:hunter2-hunter2@h",
    API_KEYS: "rcs_secret-1,schl\u00fcssel-2",
    CORTEX_URL: "https://cortex.example",
    CORTEX_API_KEY: "s3cret key",
    // A secret in the wrong place is one all the same.
    LOG_LEVEL: "s3cret key",
  };
  await rejects(read(KEYS, env), (error: unknown) => {
    ok(error instanceof ConfigError);
    equal(error.problems.length, 5, error.message);
    doesNotMatch(error.message, /hunter2|secret-1|ssel-2|s3cret/);
    return true;
  });
});

Deno.test("no API key may read like a token, of whomever", async () => {
  for (const key of ["rcs_1_x", "rct_1_x", "rcn_1_x", "rcu_x"]) {
    await rejects(read(["apiKeys"], { API_KEYS: `fine,${key}` }), (error) => {
      ok(error instanceof ConfigError);
      match(error.message, new RegExp(`key 2 begins with ${key.slice(0, 4)}`));
      return true;
    });
  }
});

Deno.test("CATALOG_ALIASES gives a name one meaning", async () => {
  const aliases = async (value: string) =>
    (await read(["catalogAliases"], { CATALOG_ALIASES: value })).catalogAliases;
  deepEqual(await aliases("old=new, older=new, old=new"), {
    old: "new",
    older: "new",
  });
  await rejects(aliases("old=new,old=other"), /gives "old" two meanings/);
});

Deno.test("DATABASE_POOL of 1 is refused: a sweep needs a connection beside its lock", async () => {
  const pool = async (value: string) =>
    (await read(["databasePool"], { DATABASE_POOL: value })).databasePool;
  equal(await pool("2"), 2);
  await rejects(pool("1"), (error: unknown) =>
    error instanceof ConfigError &&
    /DATABASE_POOL must be a whole number from 2 to 100/.test(error.message));
});

Deno.test("a secret is read from the first line of a file that a flag or a variable names", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/secret`;
    await Deno.writeTextFile(file, "\ufeff key-one , key-two \r\nmore\n");
    for (
      const [env, flags] of [
        [{ API_KEYS_FILE: file, API_KEYS: " " }, {}],
        [{}, { "api-keys-file": file }],
      ] as const
    ) {
      const { apiKeys, given } = await read(["apiKeys"], env, flags);
      deepEqual(apiKeys, ["key-one", "key-two"]);
      deepEqual([...given], ["apiKeys"]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file of a secret is handed on in its place, absolute, and wins by where it is named", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/secret`;
    await Deno.writeTextFile(file, "from-a-file\n");
    const env = {
      CORTEX_URL: "https://cortex.example",
      CORTEX_API_KEY_FILE: file,
    };
    const keys = settingsOf("cortex", "layout");
    deepEqual(carriedEnv(await read(keys, env)), env);
    const key = async (more: Words, flags: Words = {}) =>
      (await read(keys, { ...env, ...more }, flags)).cortexApiKey;
    equal(await key({}), "from-a-file");
    equal(await key({}, { "cortex-api-key": "flag" }), "flag");
    equal(
      await key(
        { CORTEX_API_KEY_FILE: "", CORTEX_API_KEY: "variable" },
        { "cortex-api-key-file": file },
      ),
      "from-a-file",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file of a secret that says nothing, or a second place of it, is a problem that names the variable", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/blank`, " \nkey\n");
    const table: [Words, Words, RegExp][] = [
      [{ API_KEYS_FILE: `${folder}/none` }, {}, /^API_KEYS_FILE: cannot read/],
      [{ API_KEYS_FILE: folder }, {}, /^API_KEYS_FILE: cannot read/],
      [{ API_KEYS_FILE: `${folder}/blank` }, {}, /^API_KEYS_FILE: the first/],
      [
        { API_KEYS_FILE: `${folder}/blank`, API_KEYS: "k" },
        {},
        /^Set API_KEYS or API_KEYS_FILE, not both$/,
      ],
      [
        {},
        { "database-url": "postgres://h/d", "database-url-file": "x" },
        /^Set --database-url or --database-url-file, not both$/,
      ],
    ];
    for (const [env, flags, problem] of table) {
      await rejects(read(KEYS, env, flags), (error: unknown) => {
        ok(error instanceof ConfigError);
        equal(error.problems.length, 1, error.message);
        match(error.message, problem);
        return true;
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
