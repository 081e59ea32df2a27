/**
 * What an agent is given of the catalog: servers, skills, and in words what is
 * left out.
 *
 * @module
 */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { openCatalog } from "../../catalog/mod.ts";
import { givenTo, readArtifact } from "../../fleet/turns/given.ts";
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
  await write("mcp.json", MCP);
  await write("roots.json", { gardener: {} });
  await write("air.json", {
    name: "test",
    mcp: ["./mcp.json"],
    skills: ["./skills/skills.json"],
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
  await rejects(textOf(world.turns), /No skill of the catalog has a file/);
});

Deno.test("hooks and plugins are named as not applied", async () => {
  await using world = await openWorld();
  const id = await world.start({
    catalogHooks: ["remind"],
    catalogPlugins: ["ci"],
  });
  const { left_out } = await givenTo(world.turns, id);
  deepEqual(left_out.map((text) => text.split(":")[0]), [
    'Hook "remind" is not applied',
    'Plugin "ci" is not applied',
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
