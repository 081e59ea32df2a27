/**
 * What a verb of the command line is, and how its words are read.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { ConfigError, flagOf, SETTINGS } from "./settings/config.ts";

/** A flag of a verb. */
export interface Flag {
  /** Whether it takes a value. */
  readonly type: "string" | "boolean";
  /** What it does, for `--help`. */
  readonly meaning: string;
}

/** What a verb was called with. */
export interface Call {
  /** Flags as given. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** Words that are no flags. */
  readonly words: readonly string[];
}

/** A verb of the command line. */
export interface Verb {
  /** One line for the list of verbs. */
  readonly summary: string;
  /** What comes after the verb: `start|list|show ID`. */
  readonly words?: string;
  /** Most words it takes. @default {0} */
  readonly maxWords?: number;
  /** Its own help text, where the usual one does not fit. */
  readonly help?: string;
  /** Flags of its own, beside those of the configuration. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Runs it; resolves with the exit code. */
  run(call: Call): Promise<number>;
}

/** Reads the words after the verb. @throws {ConfigError} Names the flag. */
export function readCall(name: string, verb: Verb, args: string[]): Call {
  const options: Record<
    string,
    { type: "string" | "boolean"; short?: string }
  > = { help: { type: "boolean", short: "h" } };
  for (const setting of SETTINGS) {
    options[flagOf(setting)] = { type: "string" };
  }
  for (const [flag, { type }] of Object.entries(verb.flags)) {
    options[flag] = { type };
  }
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `${text.split(/[.\n]/)[0]}; see deno task ${name} --help`,
    ]);
  }
  const { positionals } = parsed;
  const extra = positionals[verb.maxWords ?? 0];
  if (extra !== undefined) {
    throw new ConfigError([
      `Unexpected word "${extra}"; see deno task ${name} --help`,
    ]);
  }
  return {
    flags: parsed.values as Call["flags"],
    words: positionals,
  };
}

/** The value of a flag that takes text, where it was given. */
export function textFlag(call: Call, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The help text of a verb. */
export function helpOf(name: string, verb: Verb): string {
  if (verb.help !== undefined) return verb.help;
  const own = Object.entries(verb.flags).map(([flag, { type, meaning }]) =>
    [`--${flag}${type === "string" ? " VALUE" : ""}`, meaning] as const
  );
  const shared = SETTINGS.filter((setting) =>
    !Object.hasOwn(verb.flags, flagOf(setting))
  ).map((setting) =>
    [
      `--${flagOf(setting)} VALUE`,
      `${setting.name}: ${setting.meaning}`,
    ] as const
  );
  const rows = (list: readonly (readonly [string, string])[]) =>
    list.map(([left, right]) => `  ${left.padEnd(32)} ${right}`).join("\n");
  return [
    `deno task ${name}${verb.words === undefined ? "" : ` ${verb.words}`}`,
    "",
    verb.summary,
    ...(own.length === 0 ? [] : ["", "Flags:", rows(own)]),
    "",
    "Configuration (flags win over the environment):",
    rows(shared),
  ].join("\n");
}
