/**
 * The `scope` verb: where something lives, or what a path means.
 *
 * Pure: whoever owns the terminal reads flags and environment, prints the lines
 * and exits with the code.
 *
 * @module
 */

import {
  CortexConfigError,
  quote,
  ScopeSyntaxError,
} from "../../../cortex/words.ts";
import type { Layout } from "../../../cortex/layout/mod.ts";
import {
  answerParse,
  answerPrefixes,
  answerRender,
  type CommandResult,
} from "./scope_answers.ts";
import {
  type EngineSettings,
  readEngineSettings,
} from "../../../cortex/mod.ts";

/** What `scope --help` prints. */
export const SCOPE_USAGE = `Usage: scope OPERATION [options]

Says where memory lives in CortexDB, and what a path means. Asks no server.

Operations:
  render NODE [KIND]  the path that items are written to, for one kind or all
  parse PATH          the node and kind that a path belongs to, or why to none
  prefixes NODE       the paths below which the node's scopes are listed

  NODE is "root" or type:id segments: ws:main, team:acme/agent:writer
  KIND is document, conversation or learning

Options (they win over the environment):
  --wire WIRE          direct or hosted                     CORTEX_WIRE
  --scope-root ROOT    the v3 root, for example org:42      CORTEX_SCOPE_ROOT
  --tenant-root        v3 below the tenant; hosted only     CORTEX_TENANT_ROOT
  --retired-root ROOT  a root still read, never written     CORTEX_RETIRED_ROOT
  --scope-owner ACTOR  who owns the root                    CORTEX_SCOPE_OWNER
  --json               one line of JSON
  --help               this text

Without a root the layout is legacy, below app:tinymemory.
Exit code: 0 answered; 1 nobody's path, or a node that may not be written;
2 bad arguments or settings.`;

/** A `scope` command, its flags and environment already read. */
export interface ScopeCommand {
  /** The first argument: `render`, `parse` or `prefixes`. */
  readonly operation: string;
  /** The arguments after it, as they were typed. */
  readonly args: readonly string[];
  /** The settings that the flags and the environment gave. */
  readonly settings: EngineSettings;
  /** Whether to answer in one line of JSON. */
  readonly json: boolean;
}

/**
 * Runs `scope OPERATION …`.
 *
 * Positional arguments: `render NODE [KIND]`, `parse PATH`, `prefixes NODE`.
 * Flags, each over the environment variable behind it: `--wire` (`CORTEX_WIRE`)
 * → `wire`, `--scope-root` (`CORTEX_SCOPE_ROOT`) → `scopeRoot`, `--tenant-root`,
 * a switch (`CORTEX_TENANT_ROOT`, `1` or `true`) → `tenantRoot`, `--retired-root`
 * (`CORTEX_RETIRED_ROOT`) → `retiredScopeRoot`, `--scope-owner`
 * (`CORTEX_SCOPE_OWNER`) → `scopeOwner`; and `--json`, a switch, and `--help`,
 * which prints `SCOPE_USAGE` and exits 0. A path may begin with anything, so
 * let `--` end the flags.
 */
export function runScopeCommand(command: ScopeCommand): CommandResult {
  try {
    const { layout } = readEngineSettings(command.settings);
    return run(layout, command);
  } catch (error) {
    if (error instanceof CortexConfigError) {
      return failure(command, error.problems.map(nameProblem));
    }
    if (error instanceof ScopeSyntaxError || error instanceof UsageError) {
      return failure(command, [error.message]);
    }
    throw error;
  }
}

/** The command line has the wrong shape. */
class UsageError extends Error {}

/** What an operator typed to set a setting. */
const FLAGS: Readonly<Record<string, string>> = {
  wire: "--wire (CORTEX_WIRE)",
  scopeRoot: "--scope-root (CORTEX_SCOPE_ROOT)",
  tenantRoot: "--tenant-root (CORTEX_TENANT_ROOT)",
  retiredScopeRoot: "--retired-root (CORTEX_RETIRED_ROOT)",
  scopeOwner: "--scope-owner (CORTEX_SCOPE_OWNER)",
};

function nameProblem(problem: { setting: string; message: string }): string {
  return `${FLAGS[problem.setting] ?? problem.setting}: ${problem.message}`;
}

function failure(
  { json }: ScopeCommand,
  problems: readonly string[],
): CommandResult {
  const lines = json ? [JSON.stringify({ errors: problems })] : problems;
  return { code: 2, lines };
}

function run(layout: Layout, command: ScopeCommand): CommandResult {
  const { operation, args, json } = command;
  switch (operation) {
    case "render": {
      const [node = "", kind] = expectArgs(operation, args, "NODE [KIND]");
      return answerRender(layout, { node, kind, json });
    }
    case "parse": {
      const [path = ""] = expectArgs(operation, args, "PATH");
      return answerParse(layout, path, json);
    }
    case "prefixes": {
      const [node = ""] = expectArgs(operation, args, "NODE");
      return answerPrefixes(layout, node, json);
    }
    default:
      throw new UsageError(
        `Unknown operation ${quote(operation)}; one of: render parse prefixes`,
      );
  }
}

function expectArgs(
  operation: string,
  args: readonly string[],
  names: string,
): readonly string[] {
  const most = names.split(" ").length;
  if (args.length > 0 && args.length <= most) return args;
  throw new UsageError(`Usage: scope ${operation} ${names}`);
}
