/**
 * What a row of the settings table says.
 *
 * @module
 */

/** What is read from: the command line, the environment, the machine. */
export interface Source {
  /** Flags as given, without their dashes. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The operating system, as Deno names it. */
  readonly os: string;
  /** The user; null where there are none. */
  readonly uid: number | null;
  /** The environment. */
  env(name: string): string | undefined;
  /** A path as the caller meant it. @default {seen from this process} */
  readonly toPath?: (path: string) => string;
}

/** A text that was read: its value, or all that is wrong with it. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What the values of a setting are. */
export interface ValueKind<T> {
  /** What holds when it is unset, for people. */
  readonly standard: string;
  /** What holds when it is unset. */
  unset(source: Source): T;
  /**
   * Reads a text that is not blank. Problems begin with the name; relative
   * paths are seen from the caller.
   */
  parse(
    text: string,
    name: string,
    toPath?: (path: string) => string,
  ): Parsed<T>;
  /** Writes a value as another process reads it. */
  write(value: T): string;
}

/** One row of the settings table. */
export interface Row<T = unknown, G extends string = string>
  extends ValueKind<T> {
  /** Its name in the environment. */
  readonly name: string;
  /** What it belongs to: most verbs use all settings of a group, or none. */
  readonly group: G;
  /** What it means, for people. */
  readonly meaning: string;
  /** Whether it must not be shown: masked in everything that is printed. */
  readonly isSecret?: boolean;
  /** Whether a client's entry hands it to the process that it starts. */
  readonly isCarried?: boolean;
  /**
   * Which process reads it.
   *
   * @default {"server"}
   */
  readonly readBy?: "server" | "runner" | "both";
}

/** Writes a row down; its name, group and kind keep their own types. */
export function row<T, const G extends string>(one: Row<T, G>): Row<T, G> {
  return one;
}
