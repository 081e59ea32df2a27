import { deepEqual, equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import type { HookOrder } from "../../fleet/turns/protocol.ts";
import type { HookForm, PlacedHook } from "../agents/hooks.ts";
import { runProgram } from "../testdata/run_program.ts";
import { type HooksOptions, placeHooks } from "./hooks.ts";

const ignore = Deno.build.os === "windows";
const FILES = new Map<string, string>();

const CLIENT = {
  artifact(sha256: string) {
    const base64 = FILES.get(sha256);
    return base64 === undefined
      ? Promise.reject(new Error("It was changed"))
      : Promise.resolve({ base64 });
  },
} satisfies HooksOptions["client"];

function hookOf(
  given: Partial<Omit<HookOrder, "files">> & {
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): HookOrder {
  const { files = {}, ...rest } = given;
  return {
    name: "note",
    event: "pre_tool_call",
    command: "true",
    args: [],
    env: {},
    matcher: null,
    timeout_ms: null,
    is_trusted: true,
    ...rest,
    files: Object.entries(files).map(([path, text]) => {
      const sha256 = createHash("sha256").update(text).digest("hex");
      FILES.set(sha256, new TextEncoder().encode(text).toBase64());
      return { path, sha256 };
    }),
  };
}

/** An agent that is told by a file, and keeps what it was told. */
class Told {
  readonly hooks: PlacedHook[] = [];
  readonly form: HookForm = {
    events: { pre_tool_call: "Before", session_start: "Start" },
    heedsMatcherAt: ["pre_tool_call"],
    tell: (hooks) => {
      this.hooks.push(...hooks);
      return {
        files: [{ path: "settings.json", text: "{}" }],
        env: { A: "b" },
      };
    },
  };
}

interface World extends AsyncDisposable {
  readonly folder: string;
  readonly told: Told;
  place(
    hooks: readonly HookOrder[],
    given?: Partial<HooksOptions>,
  ): ReturnType<typeof placeHooks>;
}

async function openWorld(): Promise<World> {
  const folder = await Deno.makeTempDir({ prefix: "rootcellar-hooks-" });
  const told = new Told();
  return {
    folder,
    told,
    place: (hooks, given = {}) =>
      placeHooks({ hooks, permission: "all" }, {
        env: { KEY: "it's $a `secret`" },
        trustsCatalogs: false,
        runtime: { name: "agent", hooks: told.form },
        client: CLIENT,
        stateFolder: folder,
        agentEnv: {},
        owner: undefined,
        ...given,
      }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test({
  name:
    "a hook is a program with its files, arguments and variables, for its user alone, and goes with the turn",
  ignore,
  async fn() {
    await using world = await openWorld();
    const hooks = await world.place([
      hookOf({
        command: "./note.sh --as",
        args: ["two words", "./data.txt", "${KEY}"],
        env: { SECRET: "<${KEY}>" },
        timeout_ms: 5_000,
        matcher: "Bash|Edit",
        files: {
          "note.sh": '#!/bin/sh\ncat\nprintf "|%s" "$@" "$SECRET"; exit 2\n',
          "data.txt": "x",
        },
      }),
    ]);
    deepEqual(hooks.notices, []);
    deepEqual(hooks.told.env, { A: "b" });
    const [hook] = world.told.hooks;
    equal(hook?.matcher, "Bash|Edit");
    equal(hook?.timeoutMs, 5_000);
    const own = `${world.folder}/hooks`;
    const { code, said } = await runProgram([String(hook?.program)], {
      input: '{"tool":"x"}',
    });
    equal(
      said,
      `{"tool":"x"}|--as|two words|${own}/files/note/data.txt|it's $a \`secret\`|<it's $a \`secret\`>`,
    );
    equal(code, 2, "before a tool, what it says decides");
    for (const path of [own, `${own}/files/note`, String(hook?.program)]) {
      equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o700, path);
    }
    equal(await Deno.readTextFile(`${own}/settings.json`), "{}");
    await hooks.leave();
    deepEqual(await Array.fromAsync(Deno.readDir(world.folder)), []);
  },
});

Deno.test({
  name:
    "words of a shell see the runner's variables that they ask for; elsewhere than around tools a failure does not decide",
  ignore,
  async fn() {
    await using world = await openWorld();
    await world.place([
      hookOf({
        event: "session_start",
        command: 'printf "%s" "${KEY}" "${OTHER-none}"; exit 2',
      }),
    ]);
    deepEqual(await runProgram([String(world.told.hooks[0]?.program)]), {
      code: 1,
      said: "it's $a `secret`none",
    });
  },
});

Deno.test({
  name:
    "what a hook of an earlier turn left is gone, and a link in its place leads nowhere",
  ignore,
  async fn() {
    await using world = await openWorld();
    const outside = await Deno.makeTempDir({ prefix: "rootcellar-hooks-" });
    await Deno.writeTextFile(`${outside}/kept`, "kept");
    await Deno.symlink(outside, `${world.folder}/hooks`);
    const hooks = await world.place([hookOf()]);
    deepEqual(hooks.notices, []);
    equal((await Deno.lstat(`${world.folder}/hooks`)).isDirectory, true);
    await hooks.leave();
    deepEqual(
      (await Array.fromAsync(Deno.readDir(outside))).map(({ name }) => name),
      ["kept"],
    );
    await Deno.remove(outside, { recursive: true });
  },
});

Deno.test({
  name: "a hook that is not applied is named with its reason, and not placed",
  ignore,
  async fn(t) {
    const cases: readonly [
      string,
      Parameters<typeof hookOf>[0],
      RegExp,
      Partial<HooksOptions>?,
    ][] = [
      [
        "of a catalog of an address",
        { is_trusted: false },
        /only with RUNNER_TRUST_CATALOG=on$/,
      ],
      [
        "of an agent without hooks",
        {},
        /"command" has no hooks$/,
        { runtime: { name: "command", hooks: null } },
      ],
      [
        "at a moment that it does not have",
        { event: "pre_commit" },
        /"agent" runs none at "pre_commit", but at pre_tool_call, session_start$/,
      ],
      [
        "at a moment that every object has",
        { event: "toString" },
        /runs none at "toString"/,
      ],
      [
        "with a matcher where it heeds none",
        { event: "session_start", matcher: "x" },
        /heeds no matcher at "session_start"$/,
      ],
      [
        "with a matcher that is none",
        { matcher: "(" },
        /no regular expression$/,
      ],
      ["with a variable that is not there", {
        env: { A: "${GONE}" },
        args: ["${AWAY}"],
      }, /the runner has no GONE, AWAY$/],
      [
        "with a variable that is withheld",
        { env: { A: "${DATABASE_URL}" } },
        /the runner has no DATABASE_URL$/,
        { env: { DATABASE_URL: "postgres://" } },
      ],
      [
        "with a name that is none",
        { env: { "A=1; rm": "x" } },
        /no variable can be called "A=1; rm"$/,
      ],
      [
        "outside its folder",
        { name: "../out" },
        /none that a folder can have$/,
      ],
      ["whose files lie outside", {
        files: { "../../out": "x" },
      }, /none that a folder can have$/],
    ];
    for (const [name, given, why, options] of cases) {
      await t.step(name, async () => {
        await using world = await openWorld();
        const hooks = await world.place([hookOf(given)], options);
        equal(hooks.notices.length, 1);
        match(String(hooks.notices[0]), /^Hook ".*" is not applied: /);
        match(String(hooks.notices[0]), why);
        deepEqual(hooks.told, {});
        deepEqual(world.told.hooks, []);
      });
    }
  },
});

Deno.test({
  name:
    "a hook of a catalog of an address is applied where the runner trusts it; one whose file was changed is named, the others hold",
  ignore,
  async fn() {
    await using world = await openWorld();
    const gone = { path: "a", sha256: "0".repeat(64) };
    const hooks = await world.place([
      { ...hookOf({ name: "gone" }), files: [gone] },
      hookOf({ is_trusted: false }),
    ], { trustsCatalogs: true });
    deepEqual(hooks.notices, ['Hook "gone" is not applied: It was changed']);
    deepEqual(world.told.hooks.map(({ name }) => name), ["note"]);
  },
});

Deno.test({
  name: "hooks that the agent cannot be told of are named",
  ignore,
  async fn() {
    await using world = await openWorld();
    const form = { ...world.told.form, tell: () => "it has its own" };
    const hooks = await world.place([hookOf()], {
      runtime: { name: "agent", hooks: form },
    });
    deepEqual(hooks.notices, ['Hook "note" is not applied: it has its own']);
    deepEqual(hooks.told, {});
  },
});

Deno.test({
  name: "hooks that are called like each other's files, or ours, hold all",
  ignore,
  async fn() {
    await using world = await openWorld();
    const names = ["a", "a.run", "settings.json", "programs", "files"];
    const hooks = await world.place(
      names.map((name) => hookOf({ name, command: "./x", files: { x: "" } })),
    );
    deepEqual(hooks.notices, []);
    for (const { program } of world.told.hooks) {
      equal((await runProgram([program])).code, 0, program);
    }
    deepEqual(world.told.hooks.map(({ name }) => name), names);
  },
});
