/**
 * What a tool group is: one folder, whose `group.ts` says all that the rest of
 * the endpoint has to know of it.
 *
 * @module
 */
import type { ToolDefinition } from "./tool.ts";

/** A tool group. */
export interface ToolGroup {
  /** Name in `tool_groups`. */
  readonly name: string;
  /**
   * `base`: a connection that names no groups has it. `opt_in`: it has to be
   * named. `composite`: opt-in, and made of tools of other groups, by reference
   * or in a narrower form; it has no read-only form.
   */
  readonly kind: "base" | "opt_in" | "composite";
  /** Whether a session that names no groups of its own has it. */
  readonly isSessionDefault: boolean;
  /** What it is for, in one sentence, for people. */
  readonly summary: string;
  /** What the server's instructions say of it. */
  readonly instructions?: {
    /** For every connection that sees one of its tools. */
    readonly read: string;
    /** Beside that, for one that sees its writing tools. */
    readonly write?: string;
  };
  /** Names that none of its tools takes, each with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Its tools, in the order of `tools/list`. */
  readonly tools: readonly ToolDefinition[];
}

/** Ends the name of a group's reading tools. */
export const READONLY_SUFFIX = "_readonly";

/** Every name that these groups have in `tool_groups`. */
export function namesOf(groups: readonly ToolGroup[]): readonly string[] {
  const composites = groups.filter(({ kind }) => kind === "composite");
  const domains = groups.filter((one) => !composites.includes(one));
  return [
    ...domains.map(({ name }) => name),
    ...domains.map(({ name }) => name + READONLY_SUFFIX),
    ...composites.map(({ name }) => name),
  ];
}

/** Reasons for names that only the server sets. */
export function setByServer(
  ...names: readonly string[]
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      `"${name}" is set by the server and cannot be passed`,
    ]),
  );
}
