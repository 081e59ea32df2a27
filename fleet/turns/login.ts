/**
 * The account that a turn's agent is logged in with, and what its end tells of
 * the account's limits.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import type { Session } from "../../store/sessions/mod.ts";
import { recordLogin } from "../../store/spot/mod.ts";
import type { Runner } from "../../store/turns/mod.ts";
import { storable } from "./event_text.ts";
import type { EndRequest } from "./protocol.ts";

/** What sessions run that name no runtime. */
export const STANDARD_RUNTIME = "claude_code";
/** A limit whose end nobody told, in milliseconds. */
export const STANDARD_PARK_MS = 15 * 60_000;

const MAX_NAME_CHARACTERS = 100;

/** The account of a runner: its agents share one home, and so one login. */
export function accountOf({ id }: Pick<Runner, "id">): string {
  return `runner-${id}`;
}

/**
 * Writes down what a turn's end tells of its login: the gate goes by it, and no
 * turn of a refused login is leased until it is free again.
 */
export async function noteLoginOf(
  tx: Transaction,
  { session, runner }: { readonly session: Session; readonly runner: Runner },
  { limits, class: kind, parked_ms }: Pick<
    EndRequest,
    "limits" | "class" | "parked_ms"
  >,
): Promise<void> {
  const isLimited = kind === "usage_limit";
  if (limits === null && !isLimited) return;
  await recordLogin(tx, {
    runtime: session.agentRuntime ?? STANDARD_RUNTIME,
    account: accountOf(runner),
    windows: (limits?.windows ?? []).map((window) => ({
      name: String(storable({ name: window.name }).name)
        .slice(0, MAX_NAME_CHARACTERS),
      utilization: window.utilization,
      resetsInMs: window.resets_in_ms,
    })),
    rejectedForMs: isLimited
      ? parked_ms ?? limits?.rejected_for_ms ?? STANDARD_PARK_MS
      : limits?.rejected_for_ms ?? null,
  });
}
