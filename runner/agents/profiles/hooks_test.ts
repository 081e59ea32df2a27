/**
 * How each agent is told of hooks, as its own documentation has it.
 *
 * @module
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { runProgram } from "../../testdata/run_program.ts";
import type { HookPlace, PlacedHook, ToldHooks } from "../hooks.ts";
import { CLAUDE_CODE } from "./claude_code.ts";
import { CODEX } from "./codex.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";
import { PROFILES } from "./profiles.ts";
import { QWEN } from "./qwen.ts";

const BEFORE: PlacedHook = {
  name: "a",
  event: "pre_tool_call",
  matcher: "Bash",
  timeoutMs: 2_500,
  program: "/it's/a.run",
};
const START: PlacedHook = {
  name: "b",
  event: "session_start",
  matcher: null,
  timeoutMs: null,
  program: "/b.run",
};
const PLACE: HookPlace = { folder: "/turn/hooks", env: {}, permission: "all" };

function lists(timeout: number) {
  return {
    PreToolUse: [{
      matcher: "Bash",
      hooks: [{ type: "command", command: `'/it'\\''s/a.run'`, timeout }],
    }],
    SessionStart: [{ hooks: [{ type: "command", command: "'/b.run'" }] }],
  };
}

function told(
  profile: typeof CODEX,
  given: Partial<HookPlace> = {},
): ToldHooks | string | undefined {
  return profile.hooks?.tell([BEFORE, START], { ...PLACE, ...given });
}

function jsonOf(value: ToldHooks | string | undefined, name: string): unknown {
  const { env = {}, files = [] } = typeof value === "object" ? value : {};
  return JSON.parse(
    env[name] ?? files.find((one) => one.path === name)?.text ?? "",
  );
}

Deno.test("Claude Code gets hooks in its conversation's own settings, in seconds", () => {
  deepEqual(told(CLAUDE_CODE), {
    meta: { claudeCode: { options: { settings: { hooks: lists(3) } } } },
  });
});

Deno.test("Codex gets hooks beside what CODEX_CONFIG has; where that has hooks itself, it keeps them", () => {
  const CODEX_CONFIG = JSON.stringify({ model: "x" });
  deepEqual(jsonOf(told(CODEX, { env: { CODEX_CONFIG } }), "CODEX_CONFIG"), {
    model: "x",
    hooks: lists(3),
    bypass_hook_trust: true,
  });
  for (const config of ['{"hooks":{}}', "[]", "no"]) {
    const said = told(CODEX, { env: { CODEX_CONFIG: config } });
    match(String(said), /^CODEX_CONFIG of the runner has hooks itself/);
  }
});

Deno.test("Qwen Code gets hooks in settings below everybody's own, in milliseconds; a machine's own settings stay", () => {
  const said = told(QWEN);
  deepEqual(jsonOf(said, "settings.json"), { hooks: lists(2_500) });
  deepEqual(typeof said === "object" && said.env, {
    QWEN_CODE_SYSTEM_DEFAULTS_PATH: "/turn/hooks/settings.json",
  });
  const env = { QWEN_CODE_SYSTEM_DEFAULTS_PATH: Deno.execPath() };
  match(String(told(QWEN, { env })), /^this machine has settings in /);
});

Deno.test("opencode gets a plugin beside its permissions", () => {
  const said = told(OPENCODE, { permission: "ask" });
  deepEqual(jsonOf(said, "OPENCODE_CONFIG_CONTENT"), {
    permission: { bash: "ask", edit: "ask" },
    autoupdate: false,
    share: "disabled",
    plugin: ["file:///turn/hooks/rootcellar_hooks.js"],
  });
});

Deno.test({
  name:
    "opencode's plugin runs the programs at their moments, and a call is refused by exit code 2 with its words",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-plugin-" });
    const program = async (name: string, script: string) => {
      const path = `${folder}/${name}`;
      await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`);
      await Deno.chmod(path, 0o700);
      return path;
    };
    const log = `${folder}/log`;
    const said = OPENCODE.hooks?.tell([
      { ...START, program: await program("start", `cat >> ${log}`) },
      {
        ...BEFORE,
        matcher: "^bash$",
        program: await program("deny", "echo not today >&2; exit 2"),
      },
    ], { ...PLACE, folder });
    const [file] = typeof said === "object" ? said.files ?? [] : [];
    const path = `${folder}/plugin.mjs`;
    await Deno.writeTextFile(path, String(file?.text));
    const { RootcellarHooks } = await import(`file://${path}`);
    const plugin = await RootcellarHooks({ directory: folder });
    await plugin["chat.message"]({ sessionID: "s" });
    await plugin["chat.message"]({ sessionID: "s" });
    deepEqual(JSON.parse(await Deno.readTextFile(log)), {
      hook_event_name: "session_start",
      cwd: folder,
      session_id: "s",
    });
    const before = (tool: string) =>
      plugin["tool.execute.before"]({ tool, sessionID: "s" }, { args: {} })
        .then(() => "ran", (error: Error) => error.message);
    equal(await before("bash"), "not today");
    equal(await before("read"), "ran");
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name:
    "Gemini's extension in the home does nothing by itself, and runs a turn's hooks one after another",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-gemini-" });
    const hooks = ["one", "two"].map((name) => ({
      ...START,
      name,
      program: `${folder}/${name}`,
    }));
    for (const { name, program } of hooks) {
      await Deno.writeTextFile(program, `#!/bin/sh\ncat; echo " ${name}"\n`);
      await Deno.chmod(program, 0o700);
    }
    const said = GEMINI.hooks?.tell(hooks, { ...PLACE, folder });
    for (
      const { path, text } of typeof said === "object" ? said.files ?? [] : []
    ) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    const manifest = GEMINI.files.find(({ path }) =>
      path === ".gemini/extensions/rootcellar/hooks/hooks.json"
    );
    const command = JSON.parse(String(manifest?.text))
      .hooks.BeforeAgent[0].hooks[0].command;
    const run = (env: Readonly<Record<string, string>> = {}) =>
      runProgram(["/bin/sh", "-c", command], { env });
    deepEqual(await run(), { code: 0, said: "" });
    deepEqual(
      await run(typeof said === "object" ? said.env ?? {} : {}),
      { code: 0, said: "{} one\n{} two\n" },
    );
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("an agent heeds matchers only at moments that it has", () => {
  for (const { name, hooks } of PROFILES) {
    for (const event of hooks?.heedsMatcherAt ?? []) {
      equal(
        Object.hasOwn(hooks?.events ?? {}, event),
        true,
        `${name} ${event}`,
      );
    }
  }
});
