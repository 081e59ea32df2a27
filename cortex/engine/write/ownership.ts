/**
 * The root's registration to its owner, before the engine's first write.
 *
 * A failure never fails a write: it is reported, and the next write tries
 * again. Writes that come at once share one try, and there is a pause behind one
 * that took long, so that a route which hangs holds up few writes.
 *
 * Specification: docs/spec/cortex_engine.md section 8.
 *
 * @module
 */

import { CortexRefusalError } from "../../errors.ts";
import { type Actor, type RootPath, TENANT_ROOT } from "../../layout/scope.ts";
import type { ScopeMember } from "../../client/wire.ts";
import type { EngineContext, EngineEvent } from "../context.ts";

type Step = Extract<EngineEvent, { kind: "ownership_failed" }>["step"];

const EXISTS = "SCOPE_REGISTRATION_EXISTS";
const OWNER_ROLE = "owner";
/** A registration that hangs must not hold up the write for long. */
const TIMEOUT_MS = 10_000;
/** How long the pause is, in relation to the try: 5 minutes behind 10 s. */
const PAUSE_FACTOR = 30;

/** Sees to it, once, that the owner owns the root. */
export interface Ownership {
  /** Resolves when it is so, or when a try has failed. Never rejects. */
  ensure(): Promise<void>;
}

/** The ownership of an engine's root; nothing to do without an owner. */
export function createOwnership(
  context: EngineContext,
  owner: Actor | undefined,
): Ownership {
  const { layout, client, clock } = context;
  const isAsked = owner !== undefined && client.wire === "direct" &&
    layout.name === "v3" && layout.root !== TENANT_ROOT;
  if (!isAsked) return { ensure: () => Promise.resolve() };
  let current: Promise<boolean> | undefined;
  let pausedUntil = -Infinity;
  return {
    async ensure() {
      if (current === undefined && clock.now() < pausedUntil) return;
      const began = clock.now();
      const flight = current ??= register(context, layout.root, owner);
      // Whoever comes after a failure starts anew, but only once.
      if (await flight || current !== flight) return;
      current = undefined;
      const now = clock.now();
      pausedUntil = now + PAUSE_FACTOR * (now - began);
    },
  };
}

/** One try; false when it failed. */
async function register(
  { client, report }: EngineContext,
  path: RootPath,
  owner: Actor,
): Promise<boolean> {
  let step: Step = "register";
  try {
    const own: ScopeMember = { actor: owner, role: OWNER_ROLE };
    const once = { maxAttempts: 1, timeoutMs: TIMEOUT_MS };
    if (
      await isNew(() => client.registerScope({ path, members: [own] }, once))
    ) {
      report({ kind: "ownership_held", wasHeld: false });
      return true;
    }
    step = "read";
    const members = await client.readMembers(path, { timeoutMs: TIMEOUT_MS });
    if (members === undefined) throw new Error("It exists and has no record");
    const isHeld = members.some(({ actor, role }) =>
      actor === owner && role === OWNER_ROLE
    );
    step = "replace";
    if (!isHeld) {
      // The list is replaced as a whole: who is on it stays, in order.
      await client.replaceMembers({ path, members: [...members, own] }, once);
    }
    report({ kind: "ownership_held", wasHeld: isHeld });
    return true;
  } catch (error) {
    report({ kind: "ownership_failed", step, error });
    return false;
  }
}

/** Whether the registration is new; false when there is one already. */
async function isNew(register: () => Promise<void>): Promise<boolean> {
  try {
    await register();
    return true;
  } catch (error) {
    const exists = error instanceof CortexRefusalError &&
      error.status === 409 && error.errorCode === EXISTS;
    if (!exists) throw error;
    return false;
  }
}
