/**
 * `demo`: a real MCP client against real server processes, in a data folder of
 * its own that is gone afterwards.
 *
 * Session 1 of a root writes, session 2 of the same root reads it, another
 * root cannot; a session runs and lets another one work; then everything is
 * stopped, started again, and still there.
 *
 * @module
 */
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { VERSION } from "../../../mcp/mod.ts";
import { clusterStatus } from "../../../store/embedded/mod.ts";
import { SETTINGS } from "../../settings/config.ts";
import { handedOnEnv } from "../../settings/environment.ts";
import { mainPath, programArguments } from "../../entry/start_command.ts";
import { print } from "../../output.ts";
import { runnerFolder } from "../../runner/runner_place.ts";
import { defineVerb } from "../../verb.ts";
import {
  type ActServer,
  playAgentsAct,
  writeActCatalog,
} from "./agents_act.ts";
import { expect, note, say } from "./telling.ts";

const ROOT = "gardener";
const OTHER_ROOT = "librarian";
const STOP_LIMIT_MS = 20_000;

/** Every setting blank, which is unset: the demo has its own. */
const UNSET: Readonly<Record<string, string>> = Object.fromEntries(
  SETTINGS.flatMap(({ name, file }) => file ? [name, file.name] : [name])
    .map((name) => [name, ""]),
);

/** The verb. */
export const demo = defineVerb({
  summary:
    "Runs a real client against a real server: one session writes, the next one reads, another root cannot; a session runs and starts another; then restarts everything.",
  flags: {},
  settings: [],
  async run() {
    const home = await Deno.makeTempDir({ prefix: "rootcellar-demo-" });
    const env: Record<string, string> = {
      ROOTCELLAR_HOME: home,
      CATALOG: await writeActCatalog(home),
      LOG_LEVEL: "error",
    };
    try {
      await tour(home, env);
      print("");
      print("Everything held.");
      return 0;
    } finally {
      for (const folder of [home, runnerFolder(home)]) {
        await Deno.remove(folder, { recursive: true }).catch(() => {});
      }
    }
  },
});

async function tour(
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  say("Starting a server on an empty data folder");
  const server = await startServer(env);
  try {
    const first = await register(env, ROOT);
    say(`Session ${first.id} of root "${ROOT}" connects over HTTP and writes`);
    await withClient(overHttp(server.url, first.token), async (client) => {
      const { tools } = await client.listTools();
      note(`it sees ${tools.map((tool) => tool.name).join(", ")}`);
      const data = { name: "Old rose", bed: 3, thirsty: true };
      note(
        `put: ${
          text(
            await call(client, "put_root_record", {
              collection: "plants",
              key: "old-rose",
              data,
            }),
            "result",
          )
        }`,
      );
      note(
        `append: ${
          text(
            await call(client, "append_root_record", {
              collection: "visits",
              data: { done: "watered", litres: 12 },
            }),
            "result",
          )
        }`,
      );
      const refused = await call(client, "put_root_record", {
        collection: "plant",
        key: "typo",
        data,
      });
      expect(refused.isError === true, "an undeclared collection is refused");
      note(`refused: ${refused.text}`);
      const told = await call(client, "store_memory", {
        kind: "learning",
        learning_kind: "preference",
        text: "The user likes short answers",
      });
      note(`memory: ${text(told, "result")}, for ${text(told, "shared_with")}`);
    });

    const second = await register(env, ROOT);
    say(`Session ${second.id} of the same root looks for thirsty plants`);
    await withClient(overHttp(server.url, second.token), async (client) => {
      await expectFound(client);
    });

    const other = await register(env, OTHER_ROOT);
    say(`Session ${other.id} of root "${OTHER_ROOT}" looks for them, too`);
    await withClient(overHttp(server.url, other.token), async (client) => {
      const page = await call(client, "search_root_records", {
        collection: "plants",
      });
      expect(page.data.total === 0, "another root sees nothing");
      note(`it finds ${page.data.total} records`);
      const recalled = await call(client, "recall_memory", {
        query: "how long should answers be",
      });
      const [item] = recalled.data.items as readonly { text: string }[];
      expect(item !== undefined, "memory is shared by a person's agents");
      note(`and recalls: ${item?.text}`);
    });
    await playAgentsAct(server);
  } finally {
    await server.stop();
  }
  expect(await stops(home), "PostgreSQL stopped with its last user");
  say("Server and PostgreSQL are stopped; a new session starts over stdio");
  await withClient(overStdio(env), async (client) => {
    await expectFound(client);
  });
}

/** Whether PostgreSQL stops; a busy machine takes longer than the server. */
async function stops(home: string): Promise<boolean> {
  const deadline = performance.now() + STOP_LIMIT_MS;
  while ((await clusterStatus(home)).state === "running") {
    if (performance.now() > deadline) return false;
  }
  return true;
}

async function expectFound(client: Client): Promise<void> {
  const page = await call(client, "search_root_records", {
    collection: "plants",
    filter: { thirsty: true },
  });
  const records = page.data.records as readonly Record<string, unknown>[];
  expect(records[0]?.key === "old-rose", "the plant is found by containment");
  note(
    `found by {"thirsty": true}: ${
      JSON.stringify(records[0]?.data)
    }, written by session ${records[0]?.writing_session_id}`,
  );
}

/** What a tool answered. */
interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as readonly { readonly text?: string }[];
  return {
    isError: result.isError === true,
    text: content?.text ?? "",
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

function text(answer: Answer, field: string): string {
  expect(!answer.isError, answer.text);
  return String(answer.data[field]);
}

type ClientTransport = Parameters<Client["connect"]>[0];

async function withClient(
  transport: ClientTransport,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: "rootcellar-demo", version: VERSION });
  await client.connect(transport);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

function overHttp(url: string, token: string): ClientTransport {
  return new StreamableHTTPClientTransport(
    new URL(`${url}?tool_groups=root_data,memory`),
    { requestInit: { headers: { authorization: `Bearer ${token}` } } },
  );
}

function overStdio(env: Readonly<Record<string, string>>): ClientTransport {
  const command = Deno.execPath();
  const args = [...programArguments(mainPath(), ["stdio", "--root", ROOT])];
  // What an entry that `connect` prints gives it, and no more.
  return new StdioClientTransport({
    command,
    args,
    env: { ...handedOnEnv(), ...env },
  });
}

async function startServer(
  env: Readonly<Record<string, string>>,
): Promise<ActServer & { stop(): Promise<void> }> {
  const key = `demo-${crypto.randomUUID()}`;
  const words = ["start", "--port", "0", "--runner", "on"];
  const child = main(words, { ...env, API_KEYS: key }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  while (!printed.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The server ended before it was up");
    printed += value;
  }
  const url = /http:\S+/.exec(printed)?.[0] ?? "";
  note(`it listens on ${url}`);
  return {
    url,
    key,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await reader.cancel();
    },
  };
}

async function register(
  env: Readonly<Record<string, string>>,
  root: string,
): Promise<{ readonly id: number; readonly token: string }> {
  const words = ["session", "start", "--root", root, "--json"];
  const { stdout, success } = await main(words, env).output();
  if (!success) throw new Error(`Cannot register a session of ${root}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function main(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [...programArguments(mainPath(), words)],
    env: { ...UNSET, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  });
}
