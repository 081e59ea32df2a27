/**
 * Runs agents here, for a server, until a signal.
 *
 * @module
 */
import {
  buildRuntimes,
  findAgents,
  RunnerError,
  runRunner,
} from "../../../runner/mod.ts";
import { VERSION } from "../../../mcp/mod.ts";
import { buildLog } from "../../app/parts.ts";
import { awaitStop } from "../../app/shutdown.ts";
import { StartError } from "../../app/start_error.ts";
import { print } from "../../output.ts";
import { profilesOf } from "../../runner/agent_profiles.ts";
import {
  agentUser,
  denoForAgents,
  runnerFolder,
} from "../../runner/runner_place.ts";
import { type Config, ConfigError, type KeyOf } from "../../settings/config.ts";
import { allVariables, callerPath } from "../../settings/environment.ts";
import { bracketed, LOOPBACK_NAMES } from "../../settings/hosts.ts";
import { type Call, textFlag } from "../../verb.ts";

/** What a runner is configured with. */
export type RunnerConfig = Config<KeyOf<"runner" | "log"> | "home">;

const STANDARD_SLOTS = 2;
const MIB = 1024 * 1024;

/** Runs until a signal; the exit code. @throws {ConfigError | StartError} */
export async function runHere(
  call: Call,
  config: RunnerConfig,
): Promise<number> {
  const server = serverOf(textFlag(call, "server"));
  const parent = call.flags.child === true
    ? await heardFromParent()
    : undefined;
  const token = parent === undefined
    ? await tokenOf(textFlag(call, "token-file"))
    : checkedToken(parent.token, "Standard input");
  const slots = slotsOf(textFlag(call, "slots"));
  const folder = folderOf(call, config);
  const profiles = await profilesOf(config);
  const log = buildLog(config, "info");
  const env = allVariables();
  const home = `${folder}/home`;
  const trustsCatalogs = config.runnerTrustCatalog;
  await Deno.mkdir(home, { recursive: true, mode: 0o700 });
  const offer = buildRuntimes({
    agents: await findAgents(profiles, {
      agents: `${folder}/agents`,
      home,
      env,
      deno: await denoForAgents(folder),
    }),
    command: config.runnerCommand,
    trustsCatalogs,
  });
  using stop = awaitStop();
  const stopped = new AbortController();
  void stop.received.then(() => stopped.abort());
  void parent?.isGone.then(() => stopped.abort());
  print(
    `Runner for ${server}, with ${
      offer.runtimes.map(({ name }) => name).join(", ")
    }; agents can do what ${
      agentUser() === undefined ? "this user" : "a user of their own"
    } can`,
  );
  await runRunner({
    server,
    token,
    slots,
    folder,
    runtimes: offer.runtimes,
    hello: {
      version: VERSION,
      labels: (textFlag(call, "labels") ?? "").split(",")
        .map((one) => one.trim()).filter(Boolean),
      runtimes: offer.reports,
    },
    env,
    addedNames: config.runnerEnv,
    trustsCatalogs,
    ceilings: {
      memoryBytes: config.runnerMemoryMb * MIB,
      processes: config.runnerProcesses,
    },
    agentUser: agentUser(),
    report: (event, fields) => log.info(event, fields),
  }, stopped.signal).catch((error: unknown) => {
    throw error instanceof RunnerError
      ? new StartError(error.message, { cause: error })
      : error;
  });
  return 0;
}

/** The runner's folder, as the call or the configuration names it. */
export function folderOf(call: Call, { home }: Config<"home">): string {
  const named = textFlag(call, "folder");
  return named === undefined ? runnerFolder(home) : callerPath(named);
}

function serverOf(text: string | undefined): string {
  if (text === undefined) {
    throw new ConfigError([
      "runner needs --server URL, the address of its server",
    ]);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(["--server must be an http(s) address"]);
  }
  if (url.protocol === "http:" && !isOfThisMachine(url.hostname)) {
    throw new ConfigError([
      "--server must be https: over http the runner's token could be read on the way",
    ]);
  }
  return url.origin;
}

async function tokenOf(path: string | undefined): Promise<string> {
  if (path === undefined) {
    throw new ConfigError([
      "runner needs --token-file FILE; deno task runner register makes a token",
    ]);
  }
  let text: string;
  try {
    text = await Deno.readTextFile(callerPath(path));
  } catch (error) {
    throw new ConfigError([
      `--token-file cannot be read: ${
        error instanceof Error ? error.message : String(error)
      }`,
    ]);
  }
  return checkedToken(text.split("\n")[0] ?? "", "--token-file");
}

function checkedToken(text: string, what: string): string {
  const token = text.trim();
  if (/^rcn_[0-9]+_[A-Za-z0-9_-]+$/.test(token)) return token;
  throw new ConfigError([
    `${what} does not hold a runner's token (rcn_…) in its first line`,
  ]);
}

function isOfThisMachine(host: string): boolean {
  return LOOPBACK_NAMES.includes(host) ||
    Deno.networkInterfaces().some(({ address }) => bracketed(address) === host);
}

/** What a parent says: a token, and by the end of it that it is gone. */
async function heardFromParent(): Promise<
  { readonly token: string; readonly isGone: Promise<void> }
> {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .getReader();
  let heard = "";
  while (!heard.includes("\n")) {
    const { value, done } = await lines.read();
    if (done) break;
    heard += value;
  }
  const isGone = (async () => {
    while (!(await lines.read()).done);
  })();
  return { token: heard.split("\n")[0] ?? "", isGone };
}

function slotsOf(text: string | undefined): number {
  if (text === undefined) return STANDARD_SLOTS;
  const slots = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (slots >= 1 && slots <= 1_000) return slots;
  throw new ConfigError([`--slots must be 1 to 1000: it is "${text}"`]);
}
