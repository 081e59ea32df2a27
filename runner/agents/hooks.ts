/**
 * Hooks as an agent is told of them: each agent has a form of its own for what
 * is to run when, and names of its own for the moments.
 *
 * @module
 */
import type { HomeFile, Permission } from "./acp/profile.ts";
import type { Json } from "./acp/peer.ts";

/** A hook whose files lie on this machine. */
export interface PlacedHook {
  /** Its name. */
  readonly name: string;
  /** When, in the catalog's words. */
  readonly event: string;
  /** A pattern that the agent holds against the event; null takes all. */
  readonly matcher: string | null;
  /** How long it may take; null leaves it to the agent. */
  readonly timeoutMs: number | null;
  /** Path of a program that needs no arguments. */
  readonly program: string;
}

/** Where hooks are told of. */
export interface HookPlace {
  /** A folder that goes with the turn. */
  readonly folder: string;
  /** The environment that the agent gets. */
  readonly env: Readonly<Record<string, string>>;
  /** What the agent may do unasked. */
  readonly permission: Permission;
}

/** What tells an agent of its hooks. */
export interface ToldHooks {
  /** Files, below the folder. @default {none} */
  readonly files?: readonly HomeFile[];
  /** Variables. @default {none} */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of beginning and continuing a conversation. @default {none} */
  readonly meta?: Json;
}

/** How an agent takes hooks. */
export interface HookForm {
  /** Its own names of the moments that it has, by the catalog's. */
  readonly events: Readonly<Record<string, string>>;
  /** Those, in the catalog's words, at which it heeds a pattern. */
  readonly heedsMatcherAt: readonly string[];
  /** Tells it of them, or says in words for people why it cannot be told. */
  tell(hooks: readonly PlacedHook[], place: HookPlace): ToldHooks | string;
}
