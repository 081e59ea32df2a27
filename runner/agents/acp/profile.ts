/**
 * What one agent differs in from another, as data and a few pure functions.
 *
 * @module
 */
import type {
  LoginLimits,
  UsageReport,
} from "../../../fleet/turns/protocol.ts";
import type { HookForm } from "../hooks.ts";
import type { Json } from "./peer.ts";

/** What an agent may do unasked. */
export type Permission = "all" | "ask" | "read";

/** A package that `runner install` puts into the runner's folder. */
export interface AgentPackage {
  /** On npm. */
  readonly name: string;
  /** Exactly. */
  readonly version: string;
  /** Name of the program in it. */
  readonly bin: string;
  /** Its licence, as far as it is known. */
  readonly licence: string;
  /** What it takes on the disk, about, in MB. */
  readonly megabytes: number;
  /** Whether Deno runs it; else the program runs by itself, or needs Node. */
  readonly runsInDeno: boolean;
  /** Whether it is whole only once its own install script has run. */
  readonly needsScript: boolean;
}

/** A file that an agent needs in its home. */
export interface HomeFile {
  /** Below the home. */
  readonly path: string;
  /** What is in it when there is none yet. */
  readonly text: string;
}

/** All that an agent said of its use in a turn. */
export interface UsageSource {
  /** Begins each `request_key`. */
  readonly key: string;
  /** Answer to the prompt; undefined where it never came. */
  readonly result: Json | undefined;
  /** Updates that speak of use, in order. */
  readonly updates: readonly Json[];
  /** Messages beyond the protocol, in order. */
  readonly raw: readonly Json[];
  /** The model that was set or told. */
  readonly model: string | null;
}

/** What is known of a tool call when somebody asks for permission. */
export interface ToolCallFacts {
  /** The request's own words. */
  readonly request: Json;
  /** What updates said of the call before, together. */
  readonly known: Json;
}

/** An agent. */
export interface Profile {
  /** As sessions name it. */
  readonly name: string;
  /** Program and arguments; the program is looked for on PATH. */
  readonly argv: readonly string[];
  /** Where it comes from; null where people bring it themselves. */
  readonly package: AgentPackage | null;
  /** Variables of the runner that it gets. */
  readonly variables: readonly string[];
  /** Variables that are set for it. */
  readonly env: (permission: Permission) => Readonly<Record<string, string>>;
  /** Files that it needs. */
  readonly files: readonly HomeFile[];
  /** Method of `authenticate`; null where none is needed. */
  readonly authMethod: string | null;
  /** The mode in which it asks; null where it has none. */
  readonly askingMode: string | null;
  /** Where it looks for skills below its working folder; null has none. */
  readonly skillsFolder: string | null;
  /** How it takes hooks; null takes none. */
  readonly hooks: HookForm | null;
  /** How a model is chosen. */
  readonly modelBy: "option" | "set_model" | "none";
  /** `_meta` of beginning and continuing a conversation. */
  readonly meta: Json | null;
  /** Whether it puts `${ROOTCELLAR_TOKEN}` into headers by itself. */
  readonly expandsVariables: boolean;
  /** Whether a call is for our own tools. */
  readonly isOwnTool: (facts: ToolCallFacts) => boolean;
  /** Reads its use. */
  readonly readUsage: (source: UsageSource) => readonly UsageReport[];
  /** Reads the limits of its login; `nowMs` is the wall clock. */
  readonly readLimits: (raw: readonly Json[], nowMs: number) =>
    | LoginLimits
    | null;
  /** Files below the home, one of which a login leaves. */
  readonly loginFiles: readonly string[];
  /** Variables, one of which is a login. */
  readonly loginVariables: readonly string[];
}
