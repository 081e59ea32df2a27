import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { type Connector, entryFor } from "../../mcp/mod.ts";
import { writeEntry } from "./write_entry.ts";

const STDIO: Connector = {
  kind: "stdio",
  command: ["deno", "run", "main.ts", "stdio", "--root", 'odd "root"'],
  env: { ROOTCELLAR_HOME: "/data" },
};
const HTTP: Connector = {
  kind: "http",
  url: "http://127.0.0.1:7668/mcp?tool_groups=root_data",
  header: ["Authorization", "Bearer rcs_1_x"],
};

async function withFile(
  before: string | undefined,
  work: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/config`;
    if (before !== undefined) await Deno.writeTextFile(path, before);
    await work(path);
    const entries = await Array.fromAsync(Deno.readDir(folder));
    const names = entries.map((entry) => entry.name);
    deepEqual(names.filter((name) => name !== "config" && name !== "link"), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a new file holds the entry and is its owner's alone", async () => {
  await withFile(undefined, async (path) => {
    equal(await writeEntry(path, "claude", HTTP), "created");
    deepEqual(
      JSON.parse(await Deno.readTextFile(path)),
      JSON.parse(entryFor("claude", HTTP)),
    );
    equal((Number((await Deno.stat(path)).mode)) & 0o777, 0o600);
  });
});

Deno.test("what else is in a JSON file stays, the entry is replaced on a second write", async () => {
  const before = JSON.stringify(
    { theme: "dark", mcpServers: { other: { command: "x" } }, n: [1, 2] },
    null,
    4,
  );
  await withFile(before, async (path) => {
    equal(await writeEntry(path, "claude", STDIO), "added");
    equal(await writeEntry(path, "claude", HTTP), "replaced");
    const text = await Deno.readTextFile(path);
    const { mcpServers, ...rest } = JSON.parse(text);
    deepEqual(rest, { theme: "dark", n: [1, 2] });
    deepEqual(mcpServers.other, { command: "x" });
    equal(mcpServers.rootcellar.type, "http");
    match(text, /\n {4}"theme"/);
  });
});

Deno.test("a comment in a JSON file stays", async () => {
  await withFile("{ // comment\n}", async (path) => {
    equal(await writeEntry(path, "claude", HTTP), "added");
    match(await Deno.readTextFile(path), / \/\/ comment\n/);
  });
});

Deno.test("a link to nothing and bytes that are no text are refused", async () => {
  await withFile(undefined, async (path) => {
    await Deno.writeFile(path, new Uint8Array([0x7b, 0xff, 0x7d]));
    await rejects(writeEntry(path, "claude", HTTP), /It is not UTF-8/);
    const link = `${path.slice(0, -"config".length)}link`;
    await Deno.symlink(`${path}-gone`, link);
    await rejects(writeEntry(link, "claude", HTTP), /link to a file that is/);
    equal((await Deno.lstat(link)).isSymlink, true);
  });
});

Deno.test.each([["["], ["[]"], ['{"mcpServers":[]}'], ["{"]])(
  "a file that reads %j is refused and left as it is",
  async (before) => {
    await withFile(String(before), async (path) => {
      await rejects(writeEntry(path, "claude", HTTP), /Cannot add the entry/);
      equal(await Deno.readTextFile(path), before);
    });
  },
);

Deno.test("a TOML file keeps its comments and tables, ours is replaced with its sub-tables", async () => {
  const before = [
    "# my settings",
    'model = "o5"',
    "",
    "[mcp_servers.rootcellar]",
    'command = "old"',
    "[mcp_servers.rootcellar.env]",
    'A = "1"',
    "",
    "[mcp_servers.other] # keep",
    'command = "x"',
    "",
  ].join("\n");
  await withFile(before, async (path) => {
    equal(await writeEntry(path, "codex", STDIO), "replaced");
    const text = await Deno.readTextFile(path);
    match(
      text,
      /^# my settings\nmodel = "o5"\n\n\[mcp_servers\.rootcellar\]\ncommand = "deno"/,
    );
    match(
      text,
      /env = \{ "ROOTCELLAR_HOME" = "\/data" \}\nrequired = true\nstartup_timeout_sec = 120\n\n\[mcp_servers\.other\] # keep\ncommand = "x"\n$/,
    );
    equal(text.includes("old"), false);
    equal(text.includes('A = "1"'), false);
    equal(await writeEntry(path, "codex", STDIO), "replaced");
    equal(await Deno.readTextFile(path), text);
  });
});

Deno.test("a TOML file without our table gets it at the end", async () => {
  await withFile('model = "o5"', async (path) => {
    equal(await writeEntry(path, "codex", HTTP), "added");
    equal(
      await Deno.readTextFile(path),
      `model = "o5"\n\n${entryFor("codex", HTTP)}\n`,
    );
  });
});

Deno.test("a link stays a link, and its target keeps its mode", async () => {
  await withFile("{}", async (path) => {
    await Deno.chmod(path, 0o644);
    const link = `${path.slice(0, -"config".length)}link`;
    await Deno.symlink(path, link);
    equal(await writeEntry(link, "claude", STDIO), "added");
    equal((await Deno.lstat(link)).isSymlink, true);
    equal(Number((await Deno.stat(path)).mode) & 0o777, 0o644);
  });
});

Deno.test("Claude Desktop reaches HTTP through the bridge, its credential in the environment", () => {
  const { command, args, env } =
    JSON.parse(entryFor("claude-desktop", HTTP)).mcpServers.rootcellar;
  equal(command, "npx");
  equal(args[1], "mcp-remote@0.15.1");
  equal(args.includes("--allow-http"), true);
  equal(args.at(-1), "Authorization:${ROOTCELLAR_CREDENTIAL}");
  deepEqual(env, { ROOTCELLAR_CREDENTIAL: "Bearer rcs_1_x" });
});
