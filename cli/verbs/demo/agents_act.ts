/**
 * The act of the demo in which sessions run: one starts another, sleeps until
 * that is done, is woken, reads what the other wrote, and archives itself.
 *
 * @module
 */
import { BUILT_IN_SOURCE, openCatalog } from "../../../catalog/mod.ts";
import { denoForAgents, runnerFolder } from "../../runner/runner_place.ts";
import agent from "./agent.ts" with { type: "text" };
import { expect, note, say } from "./telling.ts";

const LIMIT_MS = 60_000;
const LOOK_MS = 100;

/** A server that the act is played on. */
export interface ActServer {
  /** Its MCP endpoint. */
  readonly url: string;
  /** A key of it. */
  readonly key: string;
}

/** The example's roots, of which one runs agents; its path. */
export async function writeActCatalog(home: string): Promise<string> {
  const folder = runnerFolder(home);
  await Deno.mkdir(folder, { recursive: true, mode: 0o711 });
  const program = `${folder}/demo_agent.ts`;
  await Deno.writeTextFile(program, agent, { mode: 0o644 });
  await using catalog = openCatalog({ source: BUILT_IN_SOURCE });
  const roots = Object.fromEntries(
    [...(await catalog.current()).roots].map(([name, { entry }]) => [
      name,
      entry,
    ]),
  );
  const gardener = {
    ...roots.gardener,
    default_runtime: "command",
    default_subagent_roots: ["gardener"],
    command: [
      await denoForAgents(folder),
      ...["run", "-q", "--no-prompt", "--no-config", "--no-lock"],
      ...["--no-npm", "--no-remote", "--allow-net=127.0.0.1"],
      "--allow-env=ROOTCELLAR_URL,ROOTCELLAR_TOKEN,ROOTCELLAR_SESSION",
      program,
    ],
  };
  const path = `${home}/demo_roots.json`;
  await Deno.writeTextFile(path, JSON.stringify({ ...roots, gardener }));
  return path;
}

/** Plays it. */
export async function playAgentsAct(server: ActServer): Promise<void> {
  say(`A session runs by itself, on the runner that "start" has as its child`);
  const began = performance.now();
  const { session_id: parent } = await callTool(server, "start_session", {
    agent_root: "gardener",
    title: "Head gardener",
    prompt: "Find out how many plants are thirsty; let a helper count",
  });
  const end = await follow(server, Number(parent));
  expect(end === "archived", "the session archived itself");
  const turns = (await transcriptOf(server, Number(parent)))
    .flatMap(({ kind, turn }) => kind === "ended" ? [turn] : []);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  note(`session ${parent} took ${turns.length} turns in ${seconds} s`);
}

interface Event {
  readonly turn: number;
  readonly kind: string;
  readonly text: string | null;
}

/** Prints what it says until it is over; its state then. */
async function follow(server: ActServer, id: number): Promise<string> {
  const deadline = performance.now() + LIMIT_MS;
  let shown = 0;
  for (;;) {
    const { status } = await callTool(server, "get_session", { id });
    const events = await transcriptOf(server, id);
    const lines = events
      .flatMap(({ kind, text }) => kind === "text" ? [text] : []);
    for (const line of lines.slice(shown)) note(`session ${id}: ${line}`);
    shown = lines.length;
    const isOver = status === "archived" || status === "failed";
    const last = events.at(-1);
    if (isOver && last?.kind === "ended") {
      if (status === "failed") note(`session ${id}: ${last.text}`);
      return status;
    }
    expect(performance.now() < deadline, "the session came to its end");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function transcriptOf(
  { url, key }: ActServer,
  id: number,
): Promise<readonly Event[]> {
  const { origin } = new URL(url);
  const response = await fetch(
    `${origin}/api/v1/sessions/${id}/transcript`,
    { headers: { "x-api-key": key } },
  );
  const { events } = await response.json();
  return events;
}

async function callTool(
  { url, key }: ActServer,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const { result, error } = await response.json();
  expect(
    result !== undefined && result.isError !== true,
    `${name} answers: ${result?.content?.[0]?.text ?? JSON.stringify(error)}`,
  );
  return result.structuredContent;
}
