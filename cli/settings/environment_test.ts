import { deepEqual, equal } from "node:assert/strict";
import { handedOnEnv, keepLoopbackDirect } from "./environment.ts";

const NAMES = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
  "DENO_DIR",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "NPM_CONFIG_REGISTRY",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
];

/** Runs with these variables of the environment, and puts the old ones back. */
function withEnv<T>(env: Readonly<Record<string, string>>, work: () => T): T {
  const old = NAMES.map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const name of NAMES) {
      if (Object.hasOwn(env, name)) Deno.env.set(name, env[name] ?? "");
      else Deno.env.delete(name);
    }
    return work();
  } finally {
    for (const [name, value] of old) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

const LOOPBACK = "localhost,127.0.0.0/8,::1,::ffff:127.0.0.0/104";

Deno.test("loopback joins what is to go past a proxy, once, under the names that are set", () => {
  const table: [Record<string, string>, [string?, string?]][] = [
    [{}, [undefined, undefined]],
    [{ NO_PROXY: "a.test" }, ["a.test", undefined]],
    [{ HTTP_PROXY: "p" }, [LOOPBACK, undefined]],
    [{ https_proxy: "p", NO_PROXY: "" }, [LOOPBACK, undefined]],
    [{ ALL_PROXY: "p", no_proxy: "a, b" }, [undefined, `a,b,${LOOPBACK}`]],
    [
      { all_proxy: "p", NO_PROXY: "a,::1", no_proxy: LOOPBACK },
      ["a,::1,localhost,127.0.0.0/8,::ffff:127.0.0.0/104", LOOPBACK],
    ],
  ];
  for (const [env, both] of table) {
    withEnv(env, () => {
      for (let times = 0; times < 2; times++) keepLoopbackDirect();
      deepEqual([Deno.env.get("NO_PROXY"), Deno.env.get("no_proxy")], both);
    });
  }
});

Deno.test("another process gets what decides where Deno is and what it reaches, and no more", () => {
  const env = {
    DENO_DIR: "/cache",
    DENO_CERT: "/ca.pem",
    DENO_TLS_CA_STORE: "system",
    NPM_CONFIG_REGISTRY: "https://npm.example",
    XDG_DATA_HOME: "/data",
    https_proxy: "http://proxy.example",
    NO_PROXY: "a.test",
  };
  deepEqual(withEnv(env, handedOnEnv), env);
  deepEqual(withEnv({ NO_PROXY: "a.test", DENO_DIR: " " }, handedOnEnv), {});
  equal(
    withEnv({ DENO_DIR: "cache" }, handedOnEnv).DENO_DIR,
    `${Deno.cwd()}/cache`,
  );
});
