/**
 * A turn as a runner gets it: all that it takes to carry it out.
 *
 * @module
 */
import type { TurnKind } from "./protocol.ts";

/** A turn with everything that it takes to carry it out. */
export interface LeasedTurn {
  /** Its number. */
  readonly turn_id: number;
  /** Whose turn. */
  readonly session_id: number;
  /** Which turn of its session. */
  readonly ordinal: number;
  /** What it is for. */
  readonly kind: TurnKind;
  /** The lease; goes with every call. */
  readonly lease_no: number;
  /** The session for this turn; ends with the lease. */
  readonly token: string;
  /** Path and query of the MCP endpoint, below the server's address. */
  readonly mcp_path: string;
  /** What the agent is told. */
  readonly prompt: string;
  /** What it must know of itself; appended to its system text. */
  readonly system_text: string;
  /** The conversation to continue; null begins one. */
  readonly conversation_id: string | null;
  /** What was said before, for a conversation that begins anew; may be empty. */
  readonly recap: string;
  /** Profile, or `command`. */
  readonly runtime: string;
  /** Model; null is the runtime's own choice. */
  readonly model: string | null;
  /** What `command` starts when the runner has no command of its own. */
  readonly command: readonly string[] | null;
  /** Whether the catalog it came from may make a runner execute things. */
  readonly is_trusted: boolean;
  /** What the agent may do unasked. */
  readonly permission: "all" | "ask" | "read";
  /** Longest turn. */
  readonly max_turn_ms: number;
  /** Where its files come from. */
  readonly tree: TreeOrder;
  /** Other MCP servers, with their `${VAR}` unresolved. */
  readonly mcp_servers: readonly McpServerOrder[];
  /** Skills, whose files `GET /artifacts/{digest}` has. */
  readonly skills: readonly SkillOrder[];
  /** Hooks, with their `${VAR}` unresolved. */
  readonly hooks: readonly HookOrder[];
  /** What it is not given, and why, in sentences for people. */
  readonly left_out: readonly string[];
  /** Why it is tried again, where it is. */
  readonly cause: string | null;
}

/** Where the files of a session come from. */
export interface TreeOrder {
  /** Repository; null is an empty folder. */
  readonly url: string | null;
  /** Branch to begin from; null is the repository's own. */
  readonly branch: string | null;
  /** Working folder below the top. */
  readonly subdirectory: string | null;
  /** Of a fork: the commit to begin from; null is the branch's own. */
  readonly fork: {
    /** The commit. */
    readonly commit: string;
    /** The session whose tree may have it where no remote does. */
    readonly session_id: number;
  } | null;
}

/** An MCP server as a catalog names it. */
export interface McpServerOrder {
  /** Its name. */
  readonly name: string;
  /** How it is reached. */
  readonly type: "http" | "stdio";
  /** Address, for http. */
  readonly url: string | null;
  /** Headers, for http. */
  readonly headers: Readonly<Record<string, string>>;
  /** Program and arguments, for stdio. */
  readonly command: readonly string[];
  /** Environment, for stdio. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether what names it may make a runner execute things. */
  readonly is_trusted: boolean;
}

/** A skill: a folder of files. */
export interface SkillOrder {
  /** Its name, and its folder's. */
  readonly name: string;
  /** Its files. */
  readonly files: readonly FileOrder[];
}

/** A file, whose bytes `GET /artifacts/{digest}` has. */
export interface FileOrder {
  /** Below its folder, with `/`. */
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly sha256: string;
}

/** A hook: what is to run when something happens in the agent. */
export interface HookOrder {
  /** Its name, and its folder's. */
  readonly name: string;
  /** When, in the catalog's words, such as `pre_tool_call`. */
  readonly event: string;
  /** Words of a shell; what begins with `./` lies in its folder. */
  readonly command: string;
  /** Arguments; what begins with `./` lies in its folder. */
  readonly args: readonly string[];
  /** Environment beside the agent's. */
  readonly env: Readonly<Record<string, string>>;
  /** A pattern that the agent holds against the event; null takes all. */
  readonly matcher: string | null;
  /** How long it may take; null leaves it to the agent. */
  readonly timeout_ms: number | null;
  /** Its files. */
  readonly files: readonly FileOrder[];
  /** Whether what names it may make a runner execute things. */
  readonly is_trusted: boolean;
}

/** Answer of `GET /artifacts/{digest}`. */
export interface ArtifactAnswer {
  /** The bytes, in base64. */
  readonly base64: string;
}
