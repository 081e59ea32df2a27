import { deepEqual, equal } from "node:assert/strict";
import { handedOnEnv, keepLoopbackDirect } from "./environment.ts";

/** An environment of these variables. */
function envOf(all: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(all));
}

const LOOPBACK = "localhost,127.0.0.0/8,::1,::ffff:127.0.0.0/104";

Deno.test("loopback joins what is to go past a proxy, once, under the names that are set", () => {
  const table: [Record<string, string>, (string | undefined)[]][] = [
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
    const variables = envOf(env);
    for (let times = 0; times < 2; times++) keepLoopbackDirect(variables);
    deepEqual(
      ["NO_PROXY", "no_proxy"].map((name) => variables.get(name)),
      both,
    );
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
  deepEqual(handedOnEnv(envOf(env)), env);
  deepEqual(handedOnEnv(envOf({ NO_PROXY: "a.test", DENO_DIR: " " })), {});
  equal(
    handedOnEnv(envOf({ DENO_DIR: "cache" })).DENO_DIR,
    `${Deno.cwd()}/cache`,
  );
});
