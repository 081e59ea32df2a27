/**
 * What a verb of the command line is, and how its words are read.
 *
 * @module
 */
import { parseArgs } from "node:util";
import {
  type Config,
  ConfigError,
  type Given,
  type Key,
  type Setting,
  SETTINGS,
} from "./settings/config.ts";

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

/** A verb of the command line, which reads the settings `K`. */
export interface Verb<K extends Key = Key> {
  /** One line for the list of verbs. */
  readonly summary: string;
  /** What comes after the verb: `start|list|show ID`. */
  readonly words?: string;
  /** Most words it takes. @default {0} */
  readonly maxWords?: number;
  /** Its own usage, where the usual one does not fit; the settings follow it. */
  readonly help?: string;
  /** Flags of its own, beside those of the settings. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** The settings that it uses: it takes their flags, and is given no others. */
  readonly settings: readonly K[];
  /** Runs it; resolves with the exit code. */
  run(call: Call, config: Config<K> & Given): Promise<number>;
}

/** Makes a verb; `run` gets the settings that are named, and only these. */
export function defineVerb<const K extends Key>(verb: Verb<K>): Verb {
  return verb;
}

/** Reads the words after the verb. @throws {ConfigError} Names the flag. */
export function readCall(
  name: string,
  verb: Verb,
  args: readonly string[],
): Call {
  const options: Record<
    string,
    { type: "string" | "boolean"; short?: string }
  > = { help: { type: "boolean", short: "h" } };
  // Those of other verbs as well, so that they can be told from no flag at all.
  for (const flag of SETTINGS.flatMap(flagsOf)) {
    options[flag] = { type: "string" };
  }
  for (const [flag, { type }] of Object.entries(verb.flags)) {
    options[flag] = { type };
  }
  const help = `see deno task ${name} --help`;
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${text.split(/[.\n]/)[0]}; ${help}`]);
  }
  const { positionals, values } = parsed;
  const foreign = SETTINGS.filter(({ key }) => !verb.settings.includes(key))
    .flatMap(flagsOf)
    // A verb's own flag may have the name of a setting that it does not read.
    .filter((flag) =>
      values[flag] !== undefined && !Object.hasOwn(verb.flags, flag)
    );
  if (foreign.length > 0) {
    throw new ConfigError(
      foreign.map((flag) => `${name} does not use --${flag}; ${help}`),
    );
  }
  const extra = positionals[verb.maxWords ?? 0];
  if (extra !== undefined) {
    throw new ConfigError([`Unexpected word "${extra}"; ${help}`]);
  }
  return { flags: values as Call["flags"], words: positionals };
}

/** The value of a flag that takes text, where it was given. */
export function textFlag(call: Call, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The help text of a verb. */
export function helpOf(name: string, verb: Verb): string {
  const settings = SETTINGS.filter(({ key }) => verb.settings.includes(key));
  return [
    verb.help ?? usageOf(name, verb),
    ...(settings.length === 0 ? [] : [
      "",
      "Configuration (flags win over the environment):",
      rowsOf(settings.flatMap(({ flag, name, meaning, file }) => [
        [`--${flag} VALUE`, `${name}: ${meaning}`] as const,
        ...(file === undefined ? [] : [
          [
            `--${file.flag} VALUE`,
            `${file.name}: a file whose first line is ${name}`,
          ] as const,
        ]),
      ])),
    ]),
  ].join("\n");
}

function usageOf(name: string, verb: Verb): string {
  const own = Object.entries(verb.flags).map((
    [flag, { type, meaning }],
  ): [string, string] => [
    `--${flag}${type === "string" ? " VALUE" : ""}`,
    meaning,
  ]);
  return [
    `deno task ${name}${verb.words === undefined ? "" : ` ${verb.words}`}`,
    "",
    verb.summary,
    "",
    "Flags:",
    rowsOf([...own, ["--help", "this text"]]),
  ].join("\n");
}

function rowsOf(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([left, right]) => `  ${left.padEnd(32)} ${right}`)
    .join("\n");
}

function flagsOf({ flag, file }: Setting): readonly string[] {
  return file === undefined ? [flag] : [flag, file.flag];
}
