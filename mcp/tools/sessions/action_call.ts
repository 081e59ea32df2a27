/**
 * What the actions of `action_session` are called with, and their receipts.
 *
 * @module
 */
import {
  type Fleet,
  type FleetCaller,
  FleetRefusalError,
} from "../../../fleet/mod.ts";
import type { Session } from "../../../store/sessions/mod.ts";
import type { Part } from "../../markdown/inline.ts";
import type { ArgsOf } from "../../schema.ts";
import { Written } from "../tool.ts";
import type { ACTION_INPUT } from "./action_input.ts";
import { type Done, facts, sessionReceipt } from "./receipt.ts";

/** Arguments of every action; those of others are not looked at. */
export type ActionArgs = Partial<ArgsOf<typeof ACTION_INPUT>>;

/** A call of an action. */
export interface ActionCall {
  /** What the rules work on. */
  readonly fleet: Fleet;
  /** Who calls. */
  readonly caller: FleetCaller;
  /** The session that is named. */
  readonly session: Session;
  /** The arguments. */
  readonly args: ActionArgs;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}
/** An action on one session. */
export type ActionRun = (call: ActionCall) => Promise<Written<Done>>;
/** A receipt. */
export function done(
  action: string,
  heading: string,
  session: Session,
  fields: readonly (readonly [string, Part | undefined])[],
  more: Partial<Done> = {},
): Written<Done> {
  return new Written(
    sessionReceipt(heading, session, fields).text,
    facts(action, session, more),
  );
}

/** An argument that an action cannot do without. */
export function needed<T>(
  value: T | undefined,
  name: string,
  action: string,
): T {
  if (value !== undefined) return value;
  throw new FleetRefusalError(
    "bad_argument",
    `${action} needs ${name}. Nothing was changed`,
  );
}
