import { deepEqual, equal, match, ok } from "node:assert/strict";
import { CLIENT_NAMES, formOf } from "./clients.ts";
import type { Connector } from "./connector.ts";
import { entryFor, entryOf } from "./entry_text.ts";
import { oneLinerFor } from "./one_liner.ts";

const STDIO: Connector = {
  kind: "stdio",
  command: ["/home/u/deno", "run", "it's.ts"],
  env: { HOME_DIR: "/data" },
};
const HTTP: Connector = {
  kind: "http",
  url: "http://127.0.0.1:7668/mcp?tool_groups=memory",
  header: ["Authorization", "Bearer rcs_1_x"],
};
const PROGRAM = {
  command: "/home/u/deno",
  args: ["run", "it's.ts"],
  env: { HOME_DIR: "/data" },
};
const HEADERS = { Authorization: "Bearer rcs_1_x" };
const { url: URL } = HTTP;

/** What each client reads, over stdio and over HTTP, as its own pages say. */
const FORMS = {
  claude: [
    { ...PROGRAM, alwaysLoad: true },
    { type: "http", url: URL, headers: HEADERS, alwaysLoad: true },
  ],
  codex: [
    { ...PROGRAM, required: true, startup_timeout_sec: 120 },
    {
      url: URL,
      http_headers: HEADERS,
      required: true,
      startup_timeout_sec: 120,
    },
  ],
  gemini: [
    { ...PROGRAM, timeout: 120_000 },
    { httpUrl: URL, headers: HEADERS, timeout: 120_000 },
  ],
  qwen: [
    { ...PROGRAM, timeout: 120_000 },
    { httpUrl: URL, headers: HEADERS, timeout: 120_000 },
  ],
  opencode: [
    {
      type: "local",
      command: ["/home/u/deno", "run", "it's.ts"],
      environment: { HOME_DIR: "/data" },
      enabled: true,
      timeout: 120_000,
    },
    {
      type: "remote",
      url: URL,
      headers: HEADERS,
      oauth: false,
      enabled: true,
      timeout: 120_000,
    },
  ],
  copilot: [
    { type: "local", ...PROGRAM, tools: ["*"] },
    { type: "http", url: URL, headers: HEADERS, tools: ["*"] },
  ],
  cline: [
    { type: "stdio", ...PROGRAM, timeout: 120, disabled: false },
    {
      type: "streamableHttp",
      url: URL,
      headers: HEADERS,
      timeout: 120,
      disabled: false,
    },
  ],
  continue: [
    { type: "stdio", ...PROGRAM, connectionTimeout: 120_000 },
    {
      type: "streamable-http",
      url: URL,
      requestOptions: { headers: HEADERS },
      connectionTimeout: 120_000,
    },
  ],
  vscode: [
    { type: "stdio", ...PROGRAM },
    { type: "http", url: URL, headers: HEADERS },
  ],
  cursor: [
    { type: "stdio", ...PROGRAM },
    { url: URL, headers: HEADERS },
  ],
  zed: [PROGRAM, { url: URL, headers: HEADERS }],
} as const;

for (const [client, [stdio, http]] of Object.entries(FORMS)) {
  Deno.test(`${client} is given the form that it reads, over stdio and HTTP`, () => {
    const name = CLIENT_NAMES.find((one) => one === client);
    ok(name !== undefined);
    deepEqual(entryOf(name, STDIO), stdio);
    deepEqual(entryOf(name, HTTP), http);
  });
}

Deno.test("Pi sees the tools themselves, and what they are for", () => {
  const { description, ...entry } = entryOf("pi", STDIO);
  match(String(description), /recall_memory/);
  deepEqual(entry, { ...PROGRAM, exposure: "direct", timeout: 120 });
  deepEqual(entryOf("pi", HTTP), {
    url: URL,
    headers: HEADERS,
    exposure: "direct",
    description,
    timeout: 120,
  });
});

Deno.test("every client has its entries under the member and in the format that it reads", () => {
  const places = {
    claude: '{\n  "mcpServers": {\n    "r": {',
    codex: "[mcp_servers.r]\n",
    gemini: '{\n  "mcpServers": {\n    "r": {',
    qwen: '{\n  "mcpServers": {\n    "r": {',
    opencode: '{\n  "mcp": {\n    "r": {',
    pi: '{\n  "mcpServers": {\n    "r": {',
    copilot: '{\n  "mcpServers": {\n    "r": {',
    cline: '{\n  "mcpServers": {\n    "r": {',
    continue: 'mcpServers:\n  - name: "r"\n',
    vscode: '{\n  "servers": {\n    "r": {',
    cursor: '{\n  "mcpServers": {\n    "r": {',
    "claude-desktop": '{\n  "mcpServers": {\n    "r": {',
    zed: '{\n  "context_servers": {\n    "r": {',
  };
  for (const client of CLIENT_NAMES) {
    for (const connector of [STDIO, HTTP]) {
      const text = entryFor(client, connector, { name: "r" });
      ok(text.startsWith(places[client]), text);
    }
  }
});

Deno.test("approval is in the entry where a client reads it there, and only when it is asked for", () => {
  const approved = CLIENT_NAMES.filter((client) =>
    JSON.stringify(entryOf(client, STDIO, { isApproved: true })) !==
      JSON.stringify(entryOf(client, STDIO))
  );
  deepEqual(approved, ["codex", "gemini", "qwen"]);
  match(
    entryFor("codex", STDIO, { isApproved: true }),
    /\ndefault_tools_approval_mode = "approve"$/,
  );
});

Deno.test("a client's own command holds the whole connection, quoted for a shell", async () => {
  const words = async (line: string) => {
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", `printf '%s\\0' ${line}`],
    }).output();
    return new TextDecoder().decode(stdout).split("\0").slice(0, -1);
  };
  const [, ...claude] = await words(oneLinerFor("claude", STDIO) ?? "");
  deepEqual(claude.slice(0, 3), ["mcp", "add-json", "rootcellar"]);
  deepEqual(JSON.parse(claude[3] ?? ""), entryOf("claude", STDIO));
  for (const client of ["codex", "gemini", "qwen", "copilot", "pi"] as const) {
    const all = await words(oneLinerFor(client, STDIO, { name: "r" }) ?? "");
    deepEqual(all.slice(0, 3), [client, "mcp", "add"]);
    deepEqual(all.slice(-3), STDIO.command);
    ok(all.includes("HOME_DIR=/data") && all.includes("r"), all.join(" "));
  }
  for (const client of ["gemini", "qwen", "copilot"] as const) {
    const all = await words(oneLinerFor(client, HTTP) ?? "");
    equal(all.at(-1), URL);
    ok(all.includes("Authorization: Bearer rcs_1_x"));
  }
});

Deno.test("whatever opens us is shown for every client, and nothing else of ours", () => {
  for (const client of CLIENT_NAMES) {
    const { title, file } = formOf(client);
    ok(title !== "" && file !== "");
    match(entryFor(client, HTTP), /rcs_1_x/);
    match(entryFor(client, STDIO), /HOME_DIR/);
  }
});
