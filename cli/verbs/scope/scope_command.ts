/**
 * The `scope` verb: where something lives, or what a path means.
 *
 * Pure: whoever owns the terminal reads the settings, prints the lines and exits
 * with the code.
 *
 * @module
 */

import { KINDS, quote, ScopeSyntaxError } from "../../../cortex/words.ts";
import type { Layout } from "../../../cortex/layout/mod.ts";
import {
  answerParse,
  answerPrefixes,
  answerRender,
  type CommandResult,
} from "./scope_answers.ts";

/** What `scope --help` prints. */
export const SCOPE_USAGE = `Usage: scope OPERATION [flags]

Says where memory lives in CortexDB, and what a path means. Asks no server.

Operations:
  render NODE [KIND]  the path that items are written to, for one kind or all
  parse PATH          the node and kind that a path belongs to, or why to none
  prefixes NODE       the paths below which the node's scopes are listed

  NODE is "root" or type:id segments: ws:main, team:acme/agent:writer
  KIND is one of ${KINDS.join(", ")}

Flags:
  --json              one line of JSON
  --help              this text

Without a root the layout is legacy, below app:tinymemory.
Exit code: 0 answered; 1 nobody's path, or a node that may not be written;
2 bad arguments or settings. A path may begin with anything: -- ends the flags.`;

/** A `scope` command, its settings already read. */
export interface ScopeCommand {
  /** The first argument: `render`, `parse` or `prefixes`. */
  readonly operation: string;
  /** The arguments after it, as they were typed. */
  readonly args: readonly string[];
  /** Where memory lies. */
  readonly layout: Layout;
  /** Whether to answer in one line of JSON. */
  readonly json: boolean;
}

/** Runs `render NODE [KIND]`, `parse PATH` or `prefixes NODE`. */
export function runScopeCommand(command: ScopeCommand): CommandResult {
  try {
    return run(command);
  } catch (error) {
    if (error instanceof ScopeSyntaxError || error instanceof UsageError) {
      return failure(command, error.message);
    }
    throw error;
  }
}

/** The command line has the wrong shape. */
class UsageError extends Error {}

function failure({ json }: ScopeCommand, problem: string): CommandResult {
  const line = json ? JSON.stringify({ errors: [problem] }) : problem;
  return { code: 2, lines: [line] };
}

function run(command: ScopeCommand): CommandResult {
  const { operation, args, layout, json } = command;
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
