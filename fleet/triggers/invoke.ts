/**
 * Firing by hand: whatever the trigger's state, with what the caller says.
 *
 * @module
 */
import type { FleetCaller } from "../caller.ts";
import type { Fleet } from "../fleet.ts";
import { assertReach } from "../sessions/reach.ts";
import { assertLength, badArgument } from "../sessions/texts.ts";
import { fireWake } from "../wakes/fire.ts";
import { readTrigger } from "./edit.ts";
import { fireOnce, type FiringResult } from "./fire.ts";
import { timeVariables, type Variables } from "./template.ts";

const MAX_VARIABLES = 50;
const MAX_VALUE_CHARACTERS = 50_000;

/**
 * Fires a trigger by hand. The limit of a minute holds; a refusal parks nothing.
 *
 * @throws {FleetRefusalError} `not_found`, `fenced`, or what the start refuses.
 */
export async function invokeTrigger(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  caller: FleetCaller,
  id: number,
  variables: Variables = {},
): Promise<FiringResult> {
  assertVariables(variables);
  const { trigger, conditions } = await readTrigger(fleet, caller, id);
  const db = await fleet.store.db();
  const { wakeSessionId } = trigger;
  if (wakeSessionId !== null) {
    await assertReach(db, caller, wakeSessionId);
    const [first] = conditions;
    const fired = first === undefined
      ? "void"
      : await fireWake(db, first.id, { isInvoked: true });
    return {
      kind: fired === "fired" ? "told" : fired,
      sessionId: wakeSessionId,
      text: fired === "fired"
        ? `Woke session ${wakeSessionId}; its wakes are spent`
        : fired === "void"
        ? "Not fired: the wake was spent meanwhile"
        : "Not fired: the wake broke, and is parked with what broke",
    };
  }
  return await fireOnce(fleet, id, {
    variables: {
      ...timeVariables(new Date(), "UTC"),
      event: "invoke",
      ...variables,
    },
    because: "it was invoked",
  });
}

function assertVariables(variables: Variables): void {
  const entries = Object.entries(variables);
  if (entries.length > MAX_VARIABLES) {
    throw badArgument(
      `variables has ${MAX_VARIABLES} names at most; this has ${entries.length}. Nothing was fired`,
    );
  }
  for (const [name, value] of entries) {
    assertLength(name, "a name of variables", 200);
    assertLength(value, "a value of variables", MAX_VALUE_CHARACTERS);
  }
}
