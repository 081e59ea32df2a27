/** What surrounds a process: proxies, the caller's folder, a terminal. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import {
  mainFolder,
  openHome,
  type Outcome,
  runVerb,
  startServer,
} from "../support/process.ts";

/** A proxy that answers 503 and notes what it was asked for. */
interface FalseProxy extends AsyncDisposable {
  /** First lines of requests, with the host. */
  readonly asked: readonly string[];
  /** The variables that name it. */
  readonly env: Readonly<Record<string, string>>;
}

function openProxy(): FalseProxy {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (connection: Deno.Conn) => {
    using _closed = connection;
    const buffer = new Uint8Array(4096);
    const read = await connection.read(buffer) ?? 0;
    const [line = ""] = new TextDecoder().decode(buffer.subarray(0, read))
      .split("\r\n");
    asked.push(line);
    await connection.write(
      new TextEncoder().encode(
        "HTTP/1.1 503 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
      ),
    );
  };
  const accepting = (async () => {
    const serving: Promise<void>[] = [];
    for await (const connection of listener) serving.push(serve(connection));
    await Promise.allSettled(serving);
  })();
  const url = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  return {
    asked,
    env: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      ALL_PROXY: url,
      DENO_NO_UPDATE_CHECK: "1", // Deno's own question is none of ours.
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

Deno.test("what goes to this machine goes past a proxy, all else through it", async () => {
  await using home = await openHome();
  await using proxy = openProxy();
  await using server = await startServer(home.env);
  await using cortex = await startServer(home.env, [], { verb: "cortex" });
  const files = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ mine: { name: "mine" } }),
  );
  const env = { ...home.env, ...proxy.env };
  const key = await Deno.readTextFile(`${home.home}/api-key`);

  const { stdout } = await runVerb(["doctor"], {
    ...env,
    PORT: new URL(server.url).port,
    CORTEX_URL: cortex.url,
    CORTEX_API_KEY: key.trim(),
  });
  match(stdout, /^ok +proxy +HTTP_PROXY, HTTPS_PROXY, ALL_PROXY: for/m);
  match(stdout, /^ok +memory /m);
  match(stdout, /^ok +server .* is served by Rootcellar/m);
  match(stdout, /^ok +deep probe/m);
  for (
    const [host, names] of [
      ["127.0.0.1", { no_proxy: "" }],
      ["localhost", { NO_PROXY: "x.test" }],
    ] as const
  ) {
    const source = `http://${host}:${files.addr.port}/roots.json`;
    const words = ["catalog", "check", source];
    equal((await runVerb(words, { ...env, ...names })).code, 0, host);
  }
  deepEqual(proxy.asked, []);

  await runVerb(["catalog", "check", "http://example.invalid/r.json"], env);
  deepEqual([...new Set(proxy.asked)], [
    "GET http://example.invalid/r.json HTTP/1.1",
  ]);
  await files.shutdown();
});

/** Runs a verb as `deno task` in a folder that is not the program's. */
async function runTask(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "--config", mainFolder("deno.json"), ...words],
    cwd,
    env: { ...env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

Deno.test("under deno task relative paths mean the folder of the caller", async () => {
  await using home = await openHome();
  const { CATALOG: _, ROOTCELLAR_HOME: __, ...env } = home.env;
  const folder = await Deno.realPath(home.home);
  const here = `${folder}/here`;
  await Deno.mkdir(here);
  await Deno.writeTextFile(
    `${here}/roots.json`,
    '{"mine":{"data_collections":{"notes":{}}}}',
  );
  const given = { ...env, ROOTCELLAR_HOME: ".." };
  const run = async (words: readonly string[], more = {}, code = 0) => {
    const outcome = await runTask(words, here, { ...given, ...more });
    equal(outcome.code, code, `${words.join(" ")}: ${outcome.stderr}`);
    return outcome.stdout;
  };

  equal(
    await run(["connect", "--root", "mine", "--write", "./sub/.mcp.json"]),
    `Wrote ${here}/sub/.mcp.json with the entry\n`,
  );
  const { mcpServers } = JSON.parse(
    await Deno.readTextFile(`${here}/sub/.mcp.json`),
  );
  equal(mcpServers.rootcellar.env.ROOTCELLAR_HOME, folder);
  equal(mcpServers.rootcellar.env.CATALOG, `${here}/roots.json`);
  for (
    const [words, more] of [
      [["catalog", "check"], {}],
      [["catalog", "check", "./roots.json"], {}],
      [["catalog", "check"], { CATALOG: "roots.json" }],
    ] as const
  ) {
    const stdout = await run(words, more);
    ok(stdout.startsWith(`Catalog: ${here}/roots.json\n`), stdout);
  }
  match(
    await run(["db", "backup", "all.backup"]),
    new RegExp(` to ${here}/all\\.backup\n`),
  );
  await run(["db", "restore", "all.backup", "--replace"]);
  // Nothing is stored there, and an export of nothing says so by its code.
  const words = ["export", "--namespace", "mine", "--output", "out.jsonl"];
  await run(words, {}, 1);
  await run(["import", "out.jsonl"]);
  const names = await Array.fromAsync(Deno.readDir(here), ({ name }) => name);
  deepEqual(names.sort(), ["all.backup", "out.jsonl", "roots.json", "sub"]);
});

Deno.test("a folder that an outer npm noted is not the caller's", async () => {
  await using home = await openHome();
  const { CATALOG: _, ...env } = home.env;
  const folder = await Deno.realPath(home.home);
  await Deno.writeTextFile(`${folder}/roots.json`, '{"mine":{}}');
  const { stdout } = await runVerb(["catalog", "check"], {
    ...env,
    INIT_CWD: "/",
  }, { cwd: folder });
  ok(stdout.startsWith(`Catalog: ${folder}/roots.json\n`), stdout);
});

Deno.test("no entry and no hint says 0.0.0.0 or [::]", async () => {
  await using home = await openHome();
  const words = ["connect", "--root", "gardener", "--transport", "http"];
  for (
    const [HOST, host] of [
      ["0.0.0.0", "127.0.0.1"],
      ["0", "127.0.0.1"],
      ["::", "[::1]"],
      ["[::]", "[::1]"],
      ["::ffff:0.0.0.0", "127.0.0.1"],
      ["192.0.2.7", "192.0.2.7"],
    ] as const
  ) {
    const { stdout } = await runVerb(words, {
      ...home.env,
      HOST,
      API_KEYS: "a-key-that-is-long-enough",
    });
    const { url } = JSON.parse(stdout).mcpServers.rootcellar;
    equal(new URL(url).host, `${host}:7668`, HOST);
  }
  await using server = await startServer({
    ...home.env,
    HOST: "0.0.0.0",
    API_KEYS: "short",
  });
  match(server.url, /^http:\/\/127\.0\.0\.1:/);
  await server.stop();
  const log = await server.log;
  match(log, /"listening","address":"http:\/\/0\.0\.0\.0:/);
  match(log, /"api_keys_short","short":1,"least_characters":16/);
});

Deno.test("names and titles of others do not drive the terminal", async () => {
  await using home = await openHome();
  const evil = "\u001b]0;x\u0007\u202eevil\u009b1m";
  const source = `${home.home}/roots.json`;
  await Deno.writeTextFile(
    source,
    JSON.stringify({
      [evil]: {},
      [`${evil}\nok  forged`]: { data_collections: { [evil]: {}, notes: 1 } },
      mine: {},
    }),
  );
  const env = { ...home.env, CATALOG: source, LOG_LEVEL: "error" };
  const start = ["session", "start", "--root", "mine", "--title", evil];
  const outcomes = [
    await runVerb(start, env),
    await runVerb(["session", "list"], env),
    await runVerb(["session", "show", "1"], env),
    await runVerb(["catalog", "check"], env),
    await runVerb(["catalog", "check", "--json"], env),
    await runVerb(["doctor"], env),
    await runVerb(["connect", "--root", evil], env),
    await runVerb([evil], env),
    await runVerb(["session", `${evil}\nforged`], env),
    await runVerb(["import", "-", "--undeclared"], env, {
      input:
        `{"rootcellar_export":1,"namespace":"mine","exported_at":"2026-01-01T00:00:00Z"}\n${
          JSON.stringify({ collection: evil, data: {}, key: evil })
        }\n`,
    }),
  ];
  for (const { stdout, stderr } of outcomes) {
    doesNotMatch(
      stdout + stderr,
      // deno-lint-ignore no-control-regex -- what a terminal would obey
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
    );
    doesNotMatch(stdout + stderr, /^(ok {2})?forged/m);
  }
  const listed = await runVerb(["session", "list", "--json"], env);
  equal(JSON.parse(listed.stdout)[0].title, evil);
  doesNotMatch(listed.stdout, /\u202e/);
});

Deno.test("a key can come from a file, and an entry names the file", async () => {
  await using home = await openHome();
  const file = `${await Deno.realPath(home.home)}/secret`;
  await Deno.writeTextFile(file, "kept-in-a-file-2\r\nand no more\n");
  const words = ["connect", "--session", "1", "--transport", "http"];
  await runVerb(["session", "start", "--root", "gardener"], home.env);
  const env = { ...home.env, API_KEYS_FILE: file };
  const { stdout } = await runVerb(words, env);
  deepEqual(JSON.parse(stdout).mcpServers.rootcellar.headers, {
    "X-API-Key": "kept-in-a-file-2",
  });
  const doctor = await runVerb(["doctor"], env);
  ok(doctor.stdout.includes(`1 from ${file}`), doctor.stdout);
  const both = await runVerb(["doctor"], { ...env, API_KEYS: "x" });
  deepEqual([both.code, both.stderr], [
    2,
    "Set API_KEYS or API_KEYS_FILE, not both\n",
  ]);
});
