/**
 * Hooks of the catalog, as this turn's agent is told of them.
 *
 * Their files, and the settings that name them, lie beside the session's tree
 * in a folder that goes with the turn: nothing of them is in the repository, or
 * in a home that sessions share. An agent starts a program of ours for each,
 * which sets the hook's variables: so no value stands in arguments or settings.
 * Specification: docs/spec/runner.md section 6.
 *
 * @module
 */
import type { HookOrder, LeasedTurn } from "../../fleet/turns/protocol.ts";
import type { Runtime } from "../agents/agent.ts";
import type { PlacedHook, ToldHooks } from "../agents/hooks.ts";
import type { AgentUser } from "../folders.ts";
import { resolveVariables } from "../process/environment.ts";
import { quoted, runAs, type ScriptPlace } from "../process/run_as.ts";
import type { TurnDeps } from "./deps.ts";
import { canHold, fetchFiles, writeFile } from "./write_files.ts";

/** What it takes. */
export interface HooksOptions extends Pick<TurnDeps, "env" | "trustsCatalogs"> {
  /** Who is told. */
  readonly runtime: Pick<Runtime, "name" | "hooks">;
  /** The server. */
  readonly client: Pick<TurnDeps["client"], "artifact">;
  /** The session's own folder. */
  readonly stateFolder: string;
  /** The environment that the agent gets. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Whom agents run as. */
  readonly owner: AgentUser | undefined;
}

/** What came of it. */
export interface TurnHooks {
  /** What tells the agent. */
  readonly told: ToldHooks;
  /** Those that it is not told of, in sentences for people. */
  readonly notices: readonly string[];
  /** Removes all that was written. */
  leave(): Promise<void>;
}

const FOLDER = "hooks";
/** Below it, apart: a hook may be called like another's program. */
const FILES = `${FOLDER}/files`;
const PROGRAMS = `${FOLDER}/programs`;
const VARIABLE_REGEXP = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAKE_FOLDER = `rm -rf -- "$1" && umask 077 && mkdir -p -- "$1"`;
const REMOVE_FOLDER = `rm -rf -- "$1"`;
/** Where what a hook says decides: elsewhere it is told only. */
const DECIDING_EVENTS: readonly string[] = ["pre_tool_call", "post_tool_call"];

/** Puts them there. */
export async function placeHooks(
  { hooks, permission }: Pick<LeasedTurn, "hooks" | "permission">,
  options: HooksOptions,
): Promise<TurnHooks> {
  const { runtime: { hooks: form }, agentEnv, stateFolder } = options;
  const notices: string[] = [];
  const leaveOut = (name: string, why: string) =>
    notices.push(`Hook "${name}" is not applied: ${why}`);
  const place: ScriptPlace = { cwd: stateFolder, owner: options.owner };
  const folder = `${stateFolder}/${FOLDER}`;
  const placed: PlacedHook[] = [];
  if (hooks.length > 0) await runAs(place, MAKE_FOLDER, { argument: FOLDER });
  for (const hook of hooks) {
    const ready = whyNot(hook, options) ?? await put(hook, place, options);
    if (typeof ready === "string") leaveOut(hook.name, ready);
    else placed.push(ready);
  }
  const told = form === null || placed.length === 0
    ? {}
    : form.tell(placed, { folder, env: agentEnv, permission });
  const isTold = typeof told !== "string" &&
    await writeAll(place, told.files ?? []);
  if (!isTold) {
    const why = typeof told === "string"
      ? told
      : "the agent's settings cannot be written";
    for (const { name } of placed) leaveOut(name, why);
  }
  return {
    told: isTold ? told : {},
    notices,
    async leave() {
      if (hooks.length === 0) return;
      await runAs(place, REMOVE_FOLDER, { argument: FOLDER });
    },
  };
}

/** Why a hook may not, or cannot, be applied. */
function whyNot(
  { name, event, matcher, env, files, is_trusted }: HookOrder,
  { runtime, trustsCatalogs }: HooksOptions,
): string | undefined {
  if (!is_trusted && !trustsCatalogs) {
    return "the catalog comes from an address, and this runner runs hooks that it names only with RUNNER_TRUST_CATALOG=on";
  }
  if (runtime.hooks === null) return `"${runtime.name}" has no hooks`;
  if (!Object.hasOwn(runtime.hooks.events, event)) {
    return `"${runtime.name}" runs none at "${event}", but at ${
      Object.keys(runtime.hooks.events).join(", ")
    }`;
  }
  if (!canHold(name, files)) {
    return "its name, or one of its files', is none that a folder can have";
  }
  const badName = Object.keys(env).find((one) => !VARIABLE_REGEXP.test(one));
  if (badName !== undefined) return `no variable can be called "${badName}"`;
  if (matcher === null) return undefined;
  if (!runtime.hooks.heedsMatcherAt.includes(event)) {
    return `"${runtime.name}" heeds no matcher at "${event}"`;
  }
  return isPattern(matcher)
    ? undefined
    : "its matcher is no regular expression";
}

/** Fetches its files, and writes the program that starts it. */
async function put(
  hook: HookOrder,
  place: ScriptPlace,
  options: HooksOptions,
): Promise<PlacedHook | string> {
  const { name, event, matcher, timeout_ms } = hook;
  const script = scriptOf(hook, `${options.stateFolder}/${FILES}/${name}`, {
    runnerEnv: options.env,
  });
  if (Array.isArray(script)) return `the runner has no ${script.join(", ")}`;
  const why = await fetchFiles(place, hook.files, {
    folder: `${FILES}/${name}`,
    client: options.client,
    arePrograms: true,
  });
  if (why !== undefined) return why;
  const path = `${PROGRAMS}/${name}`;
  const isWritten = await writeFile(place, {
    path,
    bytes: new TextEncoder().encode(String(script)),
    isProgram: true,
  });
  return isWritten
    ? {
      name,
      event,
      matcher,
      timeoutMs: timeout_ms,
      program: `${options.stateFolder}/${path}`,
    }
    : "its files cannot be written";
}

/** The program; or the variables that the runner would need for it. */
function scriptOf(
  { event, command, args, env }: HookOrder,
  folder: string,
  { runnerEnv }: { readonly runnerEnv: HooksOptions["env"] },
): string | readonly string[] {
  const missing = new Set<string>();
  const resolve = (text: string): string => {
    const resolved = resolveVariables(text, runnerEnv);
    for (const name of resolved.missing) missing.add(name);
    return resolved.text;
  };
  const sets = [
    ...namesIn(command, runnerEnv),
    ...Object.entries(env).map(([name, value]) => [name, resolve(value)]),
  ].map(([name, value = ""]) => `export ${name}=${quoted(value)}`);
  const words = args.map((arg) => quoted(inFolder(resolve(arg), folder)));
  // Words of a shell stay what they are: it looks up their variables itself.
  const [first = ""] = /^\S+/.exec(command.trim()) ?? [];
  const program = first.startsWith("./")
    ? `${quoted(inFolder(first, folder))}${command.trim().slice(first.length)}`
    : command.trim();
  return missing.size > 0 ? [...missing] : [
    "#!/bin/sh",
    ...sets,
    // In a shell of its own, which may end as it likes.
    `(\n${[program, ...words].join(" ")}\n)`,
    ...(DECIDING_EVENTS.includes(event) ? [] : ["[ $? -eq 0 ] || exit 1"]),
    "",
  ].join("\n");
}

/** Variables of the runner that words of a shell ask for. */
function namesIn(
  command: string,
  runnerEnv: HooksOptions["env"],
): readonly (readonly [string, string])[] {
  return [...command.matchAll(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g)]
    .flatMap(([word]): readonly (readonly [string, string])[] => {
      const { text, missing } = resolveVariables(word, runnerEnv);
      return missing.length === 0 ? [[word.slice(2, -1), text]] : [];
    });
}

function inFolder(word: string, folder: string): string {
  return word.startsWith("./") ? `${folder}/${word.slice(2)}` : word;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

/** One after another; whether all are there. */
async function writeAll(
  place: ScriptPlace,
  files: NonNullable<ToldHooks["files"]>,
): Promise<boolean> {
  for (const { path, text } of files) {
    const file = {
      path: `${FOLDER}/${path}`,
      bytes: new TextEncoder().encode(text),
    };
    if (!await writeFile(place, file)) return false;
  }
  return true;
}
