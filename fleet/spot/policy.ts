/**
 * The spot policy: read with its decision, and changed by operators.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import type { SchedulingClass } from "../../store/sessions/mod.ts";
import {
  readSpotState,
  type SpotState,
  writeSpotSettings,
} from "../../store/spot/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { genesisOf, SETTABLE_GENESES } from "./classes.ts";
import { decideGate, type GateDecision } from "./gate.ts";

/** The policy, and what the gate makes of it now. */
export interface SpotPolicy {
  /** What it looks at; undefined where that could not be read. */
  readonly state: SpotState | undefined;
  /** What it decides. */
  readonly decision: GateDecision;
}

/** Reads the policy. A database that fails lets spot sessions pass. */
export async function readSpotPolicy(
  { store }: Pick<Fleet, "store">,
): Promise<SpotPolicy> {
  try {
    const state = await readSpotState(await store.db());
    return { state, decision: decideGate(state) };
  } catch {
    return {
      state: undefined,
      decision: { isAllowed: true, reason: "unavailable" },
    };
  }
}

/** Settings of the gate that may be changed. */
export interface GatingChange {
  /** Whether it holds anything at all. */
  readonly isGating?: boolean | undefined;
  /** Percent of a login's five hours. */
  readonly fiveHourPct?: number | undefined;
  /** Percent of a login's week. */
  readonly weeklyPct?: number | undefined;
  /** Running sessions at most. */
  readonly maxConcurrent?: number | undefined;
}

/** Changes the gate's settings. @throws {FleetRefusalError} There are none. */
export async function setGating(
  { store }: Pick<Fleet, "store">,
  change: GatingChange,
): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) {
    throw new FleetRefusalError(
      "bad_argument",
      "At least one of enabled, five_hour_threshold_pct, weekly_threshold_pct, max_concurrent_sessions has to be given; nothing was changed",
    );
  }
  await writeSpotSettings(await store.db(), change);
}

/** Sets the class of a genesis. @throws {FleetRefusalError} It is not set here. */
export async function setGenesisClass(
  { store }: Pick<Fleet, "store">,
  name: string,
  schedulingClass: SchedulingClass,
): Promise<void> {
  const genesis = genesisOf(name);
  if (genesis !== undefined && SETTABLE_GENESES.includes(genesis)) {
    const classes = { [genesis]: schedulingClass };
    await writeSpotSettings(await store.db(), { classes });
    return;
  }
  throw new FleetRefusalError(
    "bad_argument",
    genesis === undefined
      ? `There is no genesis "${cutText(name, 100)}"; settable are ${
        SETTABLE_GENESES.join(", ")
      }. Nothing was changed`
      : `Sessions of ${genesis} take their class from their trigger: set scheduling_class there, with action_trigger. Settable here are ${
        SETTABLE_GENESES.join(", ")
      }. Nothing was changed`,
  );
}

/** Puts the classes of all geneses back to the defaults. */
export async function resetGenesisClasses(
  { store }: Pick<Fleet, "store">,
): Promise<void> {
  await writeSpotSettings(await store.db(), { classes: {} });
}
