/**
 * Answers an agent that asks whether it may use a tool.
 *
 * @module
 */
import { isJson, type Json } from "./peer.ts";
import type { Permission } from "./profile.ts";

/** Kinds of tools that change nothing. */
const READING_KINDS = ["read", "search", "think"];

/** What is answered. */
export interface PermissionAnswer {
  /** The answer, as the protocol has it. */
  readonly result: Json;
  /** Whether the tool may run. */
  readonly isAllowed: boolean;
}

/** What decides. */
export interface PermissionQuestion {
  /** What the root allows. */
  readonly permission: Permission;
  /** Whether it is one of our own tools. */
  readonly isOwn: boolean;
  /** Kind of the tool, where it is told. */
  readonly kind: unknown;
}

/** The answer to an agent whose turn is being cancelled. */
export const CANCELLED: Json = { outcome: { outcome: "cancelled" } };

/** Decides; `ask` is for people. */
export function decidePermission(
  { permission, isOwn, kind }: PermissionQuestion,
): boolean | "ask" {
  if (isOwn || permission === "all") return true;
  if (permission === "ask") return "ask";
  return READING_KINDS.includes(String(kind));
}

/** The answer, by one of the options that the agent offers. */
export function answerPermission(
  isAllowed: boolean,
  options: unknown,
): PermissionAnswer {
  // By kind, never by id or order; once, since "always" would be written into
  // the agent's settings.
  const wanted = isAllowed ? "allow_once" : "reject_once";
  const option = Array.isArray(options)
    ? options.find((one) => isJson(one) && one.kind === wanted)
    : undefined;
  return option === undefined ? { result: CANCELLED, isAllowed: false } : {
    result: { outcome: { outcome: "selected", optionId: option.optionId } },
    isAllowed,
  };
}
