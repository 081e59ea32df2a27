/**
 * What an agent is given of the catalog: servers, skills, and in words what is
 * left out.
 *
 * @module
 */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { dirname } from "node:path";
import { ArtifactFiles, openCatalog } from "../../catalog/mod.ts";
import { givenTo, readArtifact } from "../../fleet/turns/given.ts";
import { hookOrder } from "../../fleet/turns/hook_order.ts";
import { openTurns, type Turns } from "../../fleet/turns/turns.ts";
import { ServerRefusalError } from "../../runner/server/client.ts";
import { startSession } from "../support/sessions.ts";
import { openTestDb } from "../support/test_db.ts";
import { openTurnBench } from "../support/turns.ts";

const MCP = {
  near: {
    type: "stdio",
    command: "npx",
    args: ["-y", "near@1"],
    env: { KEY: "${NEAR_KEY}" },
  },
  far: {
    type: "streamable-http",
    url: "https://far.example/mcp",
    headers: { Authorization: "Bearer ${FAR_TOKEN}" },
  },
  closed: { type: "http", url: "https://closed.example/mcp", oauth: {} },
  old: { type: "sse", url: "https://old.example/sse" },
};

const HOOKS = {
  remind: { path: "remind" },
  inline: { event: "session_start", command: "true" },
  hollow: { path: "hollow" },
  list: { path: "list" },
  deaf: { command: "true" },
  mute: { path: "mute" },
  late: { event: "session_end", command: "true", timeout_seconds: 0.5 },
  laid: { path: "remind", "x-config": {} },
  long: { event: "session_start", command: "x".repeat(60_000) },
  cut: { event: "session_start", command: "true", args: ["a\u0000b"] },
  wordy: { event: "e".repeat(101), command: "true" },
};

const HOOK_FILES = {
  "remind/HOOK.json": {
    event: "post_tool_call",
    command: "./remind.sh",
    args: ["--ci"],
    env: { URL: "${REMIND_URL}" },
    matcher: "Bash",
    timeout_seconds: 2.5,
  },
  "remind/remind.sh": "echo",
  "hollow/other.json": {},
  "list/HOOK.json": [],
  "mute/HOOK.json": { event: "session_end", command: " " },
};

/** The second holds the first, which holds it. */
const PLUGINS = {
  ci: { skills: ["tidy"], plugins: ["deep"] },
  deep: { skills: ["tidy"], hooks: ["inline"], plugins: ["ci"] },
  // What its entry says wins over what its folder says.
  folder: { path: "in_folder", skills: [] },
  empty: { description: "Nothing" },
};

interface World extends AsyncDisposable {
  readonly turns: Turns;
  readonly folder: string;
  start(lists: {
    readonly mcpServers?: readonly string[];
    readonly catalogSkills?: readonly string[];
    readonly catalogHooks?: readonly string[];
    readonly catalogPlugins?: readonly string[];
  }): Promise<number>;
}

async function openWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const write = (path: string, value: unknown) =>
    Deno.writeTextFile(
      `${folder}/${path}`,
      typeof value === "string" ? value : JSON.stringify(value),
    );
  await Deno.mkdir(`${folder}/skills/tidy/scripts`, { recursive: true });
  await write("skills/tidy/SKILL.md", "Tidy up");
  await write("skills/tidy/scripts/run.sh", "echo tidy");
  await write("secret", "not for agents");
  await Deno.symlink(`${folder}/secret`, `${folder}/skills/tidy/link`);
  await write("skills/skills.json", {
    tidy: { path: "tidy" },
    gone: { path: "nowhere" },
  });
  for (const [path, text] of Object.entries(HOOK_FILES)) {
    await Deno.mkdir(dirname(`${folder}/hooks/${path}`), { recursive: true });
    await write(`hooks/${path}`, text);
  }
  await write("hooks/hooks.json", HOOKS);
  await Deno.mkdir(`${folder}/in_folder/.plugin`, { recursive: true });
  await write("in_folder/.plugin/plugin.json", {
    mcp_servers: ["far"],
    skills: ["never"],
  });
  await write("plugins.json", PLUGINS);
  await write("mcp.json", MCP);
  await write("roots.json", { gardener: {} });
  await write("air.json", {
    name: "test",
    mcp: ["./mcp.json"],
    skills: ["./skills/skills.json"],
    hooks: ["./hooks/hooks.json"],
    plugins: ["./plugins.json"],
    roots: ["./roots.json"],
  });
  const catalog = stack.use(openCatalog({ source: `${folder}/air.json` }));
  const test = stack.use(await openTestDb());
  const turns = openTurns({
    catalog,
    store: {
      isEmbedded: false,
      db: () => Promise.resolve(test.db),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  return {
    turns,
    folder,
    async start(lists) {
      const given = { agentRootKey: "gardener", ...lists };
      return (await startSession(test.db, given)).session.id;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("servers of the catalog go to the runner as they are, and those that no agent can use are named", async () => {
  await using world = await openWorld();
  const id = await world.start({
    mcpServers: ["near", "far", "closed", "old", "ghost"],
  });
  const { mcp_servers, left_out } = await givenTo(world.turns, id);
  deepEqual(
    mcp_servers.map(({ name, type, url, command, env, headers }) => [
      name,
      type,
      type === "http" ? [url, headers] : [command, env],
    ]),
    [
      ["near", "stdio", [["npx", "-y", "near@1"], { KEY: "${NEAR_KEY}" }]],
      ["far", "http", [MCP.far.url, MCP.far.headers]],
    ],
  );
  equal(mcp_servers.every((one) => one.is_trusted), true);
  deepEqual(left_out.map((text) => text.split(":")[0]), [
    'MCP server "closed" is left out',
    'MCP server "old" is left out',
    'MCP server "ghost" is left out',
  ]);
  match(left_out[0] ?? "", /needs an OAuth login of a person/);
});

Deno.test("a skill is its files by their digests; links, and what is not there, are not followed", async () => {
  await using world = await openWorld();
  const id = await world.start({ catalogSkills: ["tidy", "gone", "ghost"] });
  const { skills, left_out } = await givenTo(world.turns, id);
  deepEqual(
    skills.map(({ name, files }) => [
      name,
      files.map(({ path }) => path),
    ]),
    [["tidy", ["SKILL.md", "scripts/run.sh"]]],
  );
  equal(left_out.length, 2);
  const [file] = skills[0]?.files ?? [];
  const sha256 = String(file?.sha256);
  const textOf = async (turns: Turns) =>
    new TextDecoder().decode(
      Uint8Array.fromBase64((await readArtifact(turns, sha256)).base64),
    );
  equal(await textOf(world.turns), "Tidy up");
  // Another server, which has named nothing yet.
  equal(await textOf(openTurns(world.turns)), "Tidy up");
  await Deno.writeTextFile(`${world.folder}/skills/tidy/SKILL.md`, "Changed");
  await rejects(
    textOf(world.turns),
    /No skill or hook of the catalog has a file/,
  );
});

Deno.test("a hook is what its HOOK.json or its entry says, and its files; one that cannot be read is named", async () => {
  await using world = await openWorld();
  const id = await world.start({
    catalogHooks: [
      "remind",
      "inline",
      ...["hollow", "list", "deaf", "mute", "late", "laid", "ghost"],
      ...["long", "cut", "wordy"],
    ],
  });
  const { hooks, left_out } = await givenTo(world.turns, id);
  deepEqual(
    hooks.map(({ files, ...hook }) => [hook, files.map(({ path }) => path)]),
    [
      [{
        name: "remind",
        event: "post_tool_call",
        command: "./remind.sh",
        args: ["--ci"],
        env: { URL: "${REMIND_URL}" },
        matcher: "Bash",
        timeout_ms: 2_500,
        is_trusted: true,
      }, ["HOOK.json", "remind.sh"]],
      [{
        name: "inline",
        event: "session_start",
        command: "true",
        args: [],
        env: {},
        matcher: null,
        timeout_ms: null,
        is_trusted: true,
      }, []],
    ],
  );
  deepEqual(left_out, [
    'Hook "hollow" is not applied: its folder has no HOOK.json',
    'Hook "list" is not applied: its HOOK.json is no JSON object',
    'Hook "deaf" is not applied: it names no event',
    'Hook "mute" is not applied: it names no command',
    'Hook "late" is not applied: its timeout_seconds is no number from 1 to 86400',
    'Hook "laid" is not applied: its entry has x-config, which nothing here lays over its HOOK.json; write the values into the hook itself',
    'Hook "ghost" is not applied: the catalog has none of that name',
    'Hook "long" is not applied: it says 60001 characters, and 50000 are the most; put them into a file beside it',
    'Hook "cut" is not applied: its texts hold a NUL character',
    'Hook "wordy" is not applied: it names no event',
  ]);
  const sha256 = String(
    hooks[0]?.files.find(({ path }) => path === "remind.sh")?.sha256,
  );
  // Another server, which has named nothing yet.
  const { base64 } = await readArtifact(openTurns(world.turns), sha256);
  equal(new TextDecoder().decode(Uint8Array.fromBase64(base64)), "echo");
});

Deno.test("a hook of a catalog of an address is one that its entry says in whole, and is not trusted", async () => {
  const remote = (entry: Record<string, unknown>) =>
    hookOrder({
      name: "far",
      source: "https://far.example/hooks.json",
      entry,
    }, new ArtifactFiles());
  const order = await remote({ event: "session_start", command: "true" });
  equal(typeof order === "object" && order.is_trusted, false);
  equal(
    await remote({ path: "far" }),
    "its catalog comes from an address, of which no folders are read",
  );
});

Deno.test("a plugin gives what it and its plugins name, each once; one that names nothing is named", async () => {
  await using world = await openWorld();
  const id = await world.start({
    mcpServers: ["near"],
    catalogPlugins: ["ci", "folder", "empty", "ghost"],
  });
  const given = await givenTo(world.turns, id);
  deepEqual(given.mcp_servers.map(({ name }) => name), ["near", "far"]);
  deepEqual(given.skills.map(({ name }) => name), ["tidy"]);
  deepEqual(given.hooks.map(({ name }) => name), ["inline"]);
  deepEqual(given.left_out, [
    'Plugin "empty" is not applied: neither its entry nor .plugin/plugin.json of its folder names skills, mcp_servers, hooks or plugins',
    'Plugin "ghost" is not applied: the catalog has none of that name',
  ]);
});

Deno.test("artifacts are for runners, by a digest that is one", async () => {
  await using bench = await openTurnBench();
  await rejects(
    bench.client.artifact("0".repeat(64)),
    (error) =>
      error instanceof ServerRefusalError && error.status === 404 &&
      /No skill/.test(error.message),
  );
  await rejects(
    bench.client.artifact("xyz"),
    (error) => error instanceof ServerRefusalError && error.status === 422,
  );
});
