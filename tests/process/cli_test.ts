import { deepEqual, equal, match, ok } from "node:assert/strict";
import { handedOnEnv } from "../../cli/settings/environment.ts";
import {
  DEFAULT_SESSION_GROUPS,
  toolsInGroups,
} from "../../mcp/tools/groups.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { clusterStatus } from "../../store/embedded/mod.ts";
import {
  openHome,
  runVerb,
  startServer,
  startStdio,
  waitForCluster,
} from "../support/process.ts";

/** One clear line on stderr, no stack, nothing on stdout. */
function assertOneLine(
  outcome: { code: number; stdout: string; stderr: string },
  code: number,
  text: RegExp,
): void {
  const lines = outcome.stderr.trim().split("\n").filter((line) =>
    !line.startsWith("{")
  );
  deepEqual([outcome.code, lines.length], [code, 1], outcome.stderr);
  match(lines[0] ?? "", text);
  ok(!/\bat .*:\d+:\d+/.test(outcome.stderr), outcome.stderr);
  equal(outcome.stdout, "");
}

Deno.test("every verb has --help and lists its flags", async () => {
  await using home = await openHome();
  const overview = await runVerb(["--help"], home.env);
  equal(overview.code, 0);
  const verbs = [...overview.stdout.matchAll(/^ {2}([a-z]+) /gm)].map((found) =>
    found[1] ?? ""
  );
  ok(verbs.length >= 10);
  for (const verb of verbs) {
    const { code, stdout } = await runVerb([verb, "--help"], home.env);
    equal(code, 0, verb);
    match(stdout, /--/, verb);
  }
  equal((await clusterStatus(home.home)).state, "absent");
});

Deno.test("a wrong verb, flag, word or value exits 2 with one line that names it", async () => {
  await using home = await openHome();
  const cases: [string[], RegExp][] = [
    [["nope"], /no verb "nope"; verbs: start, serve/],
    [["stdio", "--nope"], /'--nope'.*stdio --help/],
    [["serve", "extra"], /Unexpected word "extra"/],
    [
      ["serve", "--port", "70000"],
      /PORT must be a whole number from 0 to 65535: it is "70000"/,
    ],
    [
      ["serve", "--log-level", "loud"],
      /LOG_LEVEL must be one of debug, info, warn, error/,
    ],
    [
      ["serve", "--host", "0.0.0.0"],
      /API_KEYS is not set and HOST is 0\.0\.0\.0/,
    ],
    [
      ["stdio", "--root", "a", "--session", "1"],
      /--root or --session, not both/,
    ],
    [
      ["stdio", "--session", "x"],
      /--session must be a session's id: it is "x"/,
    ],
    [
      ["session"],
      /session needs one of start, list, show, tell, stop, log, archive/,
    ],
    [["session", "start"], /needs --root NAME/],
    [
      ["session", "start", "--root", "ghost"],
      /"ghost" is not in the catalog .*; it has: gardener, librarian/,
    ],
    [
      ["connect", "--root", "gardener", "--client", "vim"],
      /--client must be one of claude, codex, gemini, qwen, .*, zed: it is "vim"/,
    ],
    [
      ["session", "start", "--root", "gardener", "--parent", "0x1"],
      /--parent must be a session's id: it is "0x1"/,
    ],
    [
      ["session", "start", "--root", "gardener", "--groups", ","],
      /--groups names no group/,
    ],
    [["session", "start", "--root", "gardener", "--slug", "7"], /A slug has/],
    [["stdio", "--root", " "], /--root is blank/],
    [["serve", "--api-keys", "ok,rcs_1"], /API_KEYS: key 2 begins with rcs_/],
    [
      ["serve", "--api-keys", "schlüssel"],
      /API_KEYS: key 1 holds a blank or a character beyond ASCII/,
    ],
    [
      ["serve", "--database-url", "postgres://u:%zz@h/d"],
      /^DATABASE_URL must read/,
    ],
    [["connect", "--session", "404"], /Session not found: 404/],
    [["start", "--root", "ghost"], /"ghost" is not in the catalog/],
    [["db"], /db needs one of status, start, stop, psql/],
  ];
  for (const [words, text] of cases) {
    assertOneLine(await runVerb(words, home.env), 2, text);
  }
});

Deno.test("scope reads the program's own settings, and refuses those it does not use", async () => {
  await using home = await openHome();
  const render = ["scope", "render", "ws:main", "conversation"];
  const scope = async (
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) => await runVerb([...render, ...words], { ...home.env, ...env });
  const legacy = "app:tinymemory/ws:main/app:conversations\n";
  const answered: [string[], Record<string, string>, string][] = [
    [[], {}, legacy],
    [
      ["--cortex-scope-root", "org:42"],
      {},
      "org:42/ws:main/app:conversations\n",
    ],
    [
      ["--cortex-scope-root", "org:42"],
      { CORTEX_SCOPE_ROOT: "org:7" },
      "org:42/ws:main/app:conversations\n",
    ],
    [
      [],
      { CORTEX_SCOPE_ROOT: "", CORTEX_WIRE: " ", CORTEX_TENANT_ROOT: "" },
      legacy,
    ],
    // What another verb would refuse is none of its business.
    [[], { PORT: "x", CORTEX_API_KEY: "k", CORTEX_CHAT_NODE: "?" }, legacy],
  ];
  for (const [words, env, text] of answered) {
    deepEqual(await scope(words, env), { code: 0, stdout: text, stderr: "" });
  }
  const refused: [string[], Record<string, string>, RegExp][] = [
    [[], { CORTEX_TENANT_ROOT: "maybe" }, /^CORTEX_TENANT_ROOT must be on or/],
    [[], { CORTEX_SCOPE_ROOT: "org" }, /^CORTEX_SCOPE_ROOT: Cannot read root/],
    [
      ["--cortex-tenant-root", "on"],
      {},
      /^CORTEX_TENANT_ROOT: needs the hosted/,
    ],
    [["--home", "/x"], {}, /^scope does not use --home; see .*scope --help/],
    [["--port", "1"], {}, /^scope does not use --port/],
    [["--scope-root", "org:42"], {}, /Unknown option '--scope-root'/],
  ];
  for (const [words, env, text] of refused) {
    assertOneLine(await scope(words, env), 2, text);
  }
});

Deno.test("a verb takes the flags of the settings it uses, shows these, and reads no others", async () => {
  await using home = await openHome({
    PORT: "x",
    CORTEX_URL: "nowhere",
    CATALOG_ALIASES: "=",
  });
  equal((await runVerb(["db", "status"], home.env)).code, 0);
  const cases: [string[], RegExp][] = [
    [["stdio", "--api-keys", "k"], /^stdio does not use --api-keys/],
    [["db", "status", "--catalog", "x"], /^db does not use --catalog/],
    [["catalog", "check", "--home", "x"], /^catalog does not use --home/],
    [["demo", "--port", "0"], /^demo does not use --port/],
    [["cortex", "--cortex-url", "x"], /^cortex does not use --cortex-url/],
    [["cortex", "--port", "x"], /^--port must be a whole number from 0/],
  ];
  for (const [words, text] of cases) {
    assertOneLine(await runVerb(words, home.env), 2, text);
  }
  const { stdout } = await runVerb(["catalog", "--help"], home.env);
  deepEqual(
    [...stdout.matchAll(/^ {2}--\S+ VALUE +([A-Z_]+):/gm)].map((one) => one[1]),
    ["CATALOG", "CATALOG_ALIASES"],
  );
});

Deno.test("all configuration problems are reported at once", async () => {
  await using home = await openHome({
    PORT: "x",
    LOG_LEVEL: "y",
    DATABASE_URL: "mysql://u:hunter2@h",
  });
  const { code, stderr } = await runVerb(["serve"], home.env);
  equal(code, 2);
  deepEqual(stderr.trim().split("\n").length, 3);
  ok(!stderr.includes("hunter2"));
});

Deno.test("an unreadable catalog is one line, exit 1", async () => {
  await using home = await openHome({ CATALOG: "/nonexistent/air.json" });
  assertOneLine(
    await runVerb(["serve", "--port", "0"], home.env),
    1,
    /catalog "\/nonexistent\/air\.json"/,
  );
});

Deno.test("a database that is not there is one line without its password, exit 1", async () => {
  await using home = await openHome({
    DATABASE_URL: "postgres://gardener:hunter2@127.0.0.1:1/store",
  });
  const outcome = await runVerb(["serve", "--port", "0"], home.env);
  assertOneLine(outcome, 1, /database cannot be reached/);
  ok(!outcome.stderr.includes("hunter2"));
});

Deno.test("a home that cannot be made is one line, exit 1", async () => {
  await using home = await openHome();
  const file = `${home.home}/file`;
  await Deno.writeTextFile(file, "");
  const outcome = await runVerb(
    ["migrate", "--home", `${file}/below`],
    home.env,
  );
  assertOneLine(outcome, 1, /file/);
});

Deno.test("a port in use is one line, exit 1", async () => {
  await using home = await openHome();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const outcome = await runVerb(
    ["serve", "--port", String(taken.addr.port)],
    home.env,
  );
  assertOneLine(
    outcome,
    1,
    /Cannot listen on 127\.0\.0\.1:\d+: the port is in use/,
  );
});

Deno.test("session start, list, show and archive tell one story", async () => {
  await using home = await openHome();
  const start = await runVerb([
    "session",
    "start",
    "--root",
    "gardener",
    "--title",
    "Spring",
    "--slug",
    "spring",
    "--json",
  ], home.env);
  equal(start.code, 0, start.stderr);
  const started = JSON.parse(start.stdout);
  match(started.token, /^rcs_1_/);
  equal(
    started.entry.mcpServers.rootcellar.headers.Authorization,
    `Bearer ${started.token}`,
  );
  const list = JSON.parse(
    (await runVerb(["session", "list", "--json"], home.env)).stdout,
  );
  deepEqual(
    list.map((one: { id: number; title: string }) => [one.id, one.title]),
    [[1, "Spring"]],
  );
  ok(!JSON.stringify(list).includes(started.token));
  match(
    (await runVerb(["session", "list"], home.env)).stdout,
    /ID +ROOT +STATUS +SINCE +QUEUE.*\n1 +gardener +waiting \(never started\) +\d+[smh] +0 +Spring +-/,
  );
  match(
    (await runVerb(["session", "show", "spring"], home.env)).stdout,
    /agent_root +gardener/,
  );
  equal((await runVerb(["session", "archive", "1"], home.env)).code, 0);
  match((await runVerb(["session", "list"], home.env)).stdout, /No sessions/);
  assertOneLine(
    await runVerb(["session", "show", "404"], home.env),
    2,
    /Session not found: 404/,
  );
});

Deno.test("connect prints entries that a client can start", async () => {
  await using home = await openHome();
  const { stdout } = await runVerb(["connect", "--root", "gardener"], home.env);
  const { command, args, env } = JSON.parse(stdout).mcpServers.rootcellar;
  equal(env.ROOTCELLAR_HOME, home.home);
  const child = new Deno.Command(command, {
    args,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    cwd: "/",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
    ),
  );
  await writer.close();
  const { stdout: answer } = await child.output();
  equal(
    JSON.parse(new TextDecoder().decode(answer)).result.tools.length,
    toolsInGroups(TOOLS, DEFAULT_SESSION_GROUPS).length,
  );
  const codex = await runVerb([
    "connect",
    "--root",
    "gardener",
    "--client",
    "codex",
  ], home.env);
  match(codex.stdout, /^\[mcp_servers\.rootcellar\]\ncommand = "/);
  equal((await clusterStatus(home.home)).state, "absent");
});

Deno.test("a server serves HTTP with the kept key, and stops its PostgreSQL on SIGTERM", async () => {
  await using home = await openHome();
  await using server = await startServer(home.env);
  const path = `${home.home}/api-key`;
  const key = (await Deno.readTextFile(path)).trim();
  equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  const response = await fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  deepEqual(await response.json(), { jsonrpc: "2.0", id: 1, result: {} });
  equal(await server.stop(), 0);
  await waitForCluster(home.home, "stopped");
});

Deno.test("start prints a ready entry, the same session every time", async () => {
  await using home = await openHome();
  const entry = async () => {
    const { DENO_DIR: _, ...env } = home.env;
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--frozen",
        `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
        "-P=server",
        new URL("../../main.ts", import.meta.url).pathname,
        "start",
        "--port",
        "0",
      ],
      env,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let printed = "";
    const reader = child.stdout.pipeThrough(new TextDecoderStream())
      .getReader();
    while (!printed.includes("Ctrl-C")) {
      const { value, done } = await reader.read();
      ok(!done, `It ended: ${printed}`);
      printed += value;
    }
    child.kill("SIGINT");
    equal((await child.status).code, 0);
    await reader.cancel();
    return JSON.parse(
      printed.slice(printed.indexOf("{"), printed.lastIndexOf("}") + 1),
    );
  };
  const first = (await entry()).mcpServers.rootcellar;
  match(first.url, /tool_groups=root_data,memory,self_session&session_id=1$/);
  match((await entry()).mcpServers.rootcellar.url, /session_id=1$/);
});

Deno.test("doctor says all is well, and exits 1 with what is wrong", async () => {
  await using home = await openHome();
  const good = await runVerb(["doctor"], home.env);
  equal(good.code, 0, good.stdout + good.stderr);
  match(good.stdout, /ok +database +PostgreSQL 18/);
  match(good.stdout, /ok +runner +start runs none/);
  match(good.stdout, /All is well/);
  const bad = await runVerb(["doctor"], {
    ...home.env,
    CATALOG: "/nonexistent.json",
    DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x",
  });
  equal(bad.code, 1);
  match(bad.stdout, /wrong +catalog +.*nonexistent/);
  match(bad.stdout, /wrong +database +.*cannot be reached/);
  match(bad.stdout, /wrong +root data +.*cannot be reached/);
  ok(!(bad.stdout + bad.stderr).includes("hunter2"));
});

Deno.test("db shows, starts and stops the embedded PostgreSQL", async () => {
  await using home = await openHome();
  match((await runVerb(["db", "status"], home.env)).stdout, /state +absent/);
  match((await runVerb(["db", "start"], home.env)).stdout, /PostgreSQL runs/);
  match((await runVerb(["db", "status"], home.env)).stdout, /state +running/);
  equal((await runVerb(["migrate"], home.env)).code, 0);
  equal((await runVerb(["db", "stop"], home.env)).code, 0);
  match((await runVerb(["db", "status"], home.env)).stdout, /state +stopped/);
});

Deno.test("sweep reports as JSON when nobody watches", async () => {
  await using home = await openHome();
  const { code, stdout } = await runVerb(["sweep"], home.env);
  equal(code, 0);
  deepEqual(JSON.parse(stdout).deleted, 0);
});

Deno.test("the demo holds", async () => {
  await using home = await openHome();
  const { code, stdout, stderr } = await runVerb(["demo"], home.env);
  equal(code, 0, stderr);
  match(stdout, /Everything held/);
});

Deno.test("a stdio server that continues a session stamps its number", async () => {
  await using home = await openHome();
  await runVerb(["session", "start", "--root", "gardener"], home.env);
  await using server = startStdio(["--session", "1"], home.env);
  const put = await server.call("put_root_record", {
    collection: "runs",
    key: "k",
    data: {},
  });
  equal(put.structuredContent.record.writing_session_id, 1);
  await server.end();
});

Deno.test("entries carry what this process was configured with, as absolute paths", async () => {
  await using home = await openHome();
  const { CATALOG: _, ROOTCELLAR_HOME: __, ...env } = home.env;
  const folder = await Deno.realPath(home.home);
  await Deno.mkdir(`${folder}/here`);
  await Deno.writeTextFile(
    `${folder}/here/roots.json`,
    '{"mine":{"name":"mine"}}',
  );
  const words = [
    "connect",
    "--root",
    "mine",
    "--home",
    "../there",
    "--catalog-aliases",
    "a=b",
    "--cortex-scope-root",
    "org:42",
  ];
  const { stdout, stderr } = await runVerb(words, env, {
    cwd: `${folder}/here`,
  });
  deepEqual(JSON.parse(stdout || stderr).mcpServers.rootcellar.env, {
    ...handedOnEnv(new Map(Object.entries(env))),
    ROOTCELLAR_HOME: `${folder}/there`,
    CATALOG: `${folder}/here/roots.json`,
    CATALOG_ALIASES: "a=b",
    CORTEX_SCOPE_ROOT: "org:42",
  });
});

Deno.test("a session keeps to its own groups over stdio and in its entries", async () => {
  await using home = await openHome();
  const start = [
    "session",
    "start",
    "--root",
    "gardener",
    "--slug",
    "reader",
    "--groups",
    "root_data_readonly",
    "--transport",
    "stdio",
  ];
  match(
    (await runVerb(start, home.env)).stdout,
    /"--session",\s+"1",\s+"--groups",\s+"root_data_readonly"/,
  );
  const entry = await runVerb(["connect", "--session", "reader"], home.env);
  match(entry.stdout, /"1",\s+"--groups",\s+"root_data_readonly"/);
  match(
    (await runVerb(
      ["connect", "--session", "reader", "--transport", "http"],
      home.env,
    )).stdout,
    /tool_groups=root_data_readonly&session_id=1/,
  );
  await using server = startStdio(["--session", "1"], home.env);
  equal((await server.request("tools/list")).result.tools.length, 3);
  const { error } = await server.request("tools/call", {
    name: "put_root_record",
    arguments: {},
  });
  equal(error.code, -32602);
  await server.end();
});

Deno.test("a key that cannot be kept is one line, exit 1", async () => {
  await using home = await openHome();
  const file = `${home.home}/file`;
  await Deno.writeTextFile(file, "");
  assertOneLine(
    await runVerb(["serve", "--home", file], home.env),
    1,
    /Cannot keep the API key in .*file\/api-key/,
  );
  await Deno.writeTextFile(`${home.home}/api-key`, "");
  assertOneLine(
    await runVerb(["serve", "--port", "0"], home.env),
    1,
    /api-key is empty: delete the file/,
  );
});

Deno.test("with REQUIRE_SESSION_TOKEN start prints no entry that a key opens", async () => {
  await using home = await openHome({ REQUIRE_SESSION_TOKEN: "on" });
  await using server = await startServer(home.env);
  ok(server.url !== "");
  const refused = await runVerb([
    "connect",
    "--session",
    "1",
    "--transport",
    "http",
  ], home.env);
  equal(refused.code, 2);
  await runVerb(["session", "start", "--root", "gardener"], home.env);
  assertOneLine(
    await runVerb(
      ["connect", "--session", "1", "--transport", "http"],
      home.env,
    ),
    2,
    /REQUIRE_SESSION_TOKEN is on, and the token of session 1 was shown only/,
  );
});
