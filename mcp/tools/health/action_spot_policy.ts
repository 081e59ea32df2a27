/**
 * `action_spot_policy`: changes what the spot gate goes by.
 *
 * @module
 */
import {
  readSpotPolicy,
  resetGenesisClasses,
  setGating,
  setGenesisClass,
} from "../../../fleet/mod.ts";
import { ToolError } from "../../errors.ts";
import { receipt } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { type ArgsOf, inputOf } from "../../schema.ts";
import type { Services } from "../../services.ts";
import { defineTool, Written } from "../tool.ts";
import { SPOT_POLICY, spotShape, spotText } from "./spot_shape.ts";

const PCT = { type: "integer", minimum: 0, maximum: 100 } as const;

/** Arguments. */
export const SPOT_ACTION_INPUT = inputOf({
  action: {
    type: "string",
    enum: [
      "set_gating",
      "promote_genesis",
      "demote_genesis",
      "reset_genesis_classes",
    ],
    description: "What to change",
  },
  enabled: {
    type: "boolean",
    description: "Whether the gate holds anything",
  },
  five_hour_threshold_pct: {
    ...PCT,
    description: "Held from so many percent of a login's five hours",
  },
  weekly_threshold_pct: {
    ...PCT,
    description: "Held from so many percent of a login's week",
  },
  max_concurrent_sessions: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description: "Running sessions at most, of any class",
  },
  genesis: { type: "string", description: "web_ui, api or unknown" },
}, ["action"]);

/** The tool. */
export const actionSpotPolicy = defineTool({
  name: "action_spot_policy",
  title: "Change spot policy",
  access: "write",
  description:
    "Changes what holds spot sessions, and answers with the decision that follows. set_gating: enabled, five_hour_threshold_pct, weekly_threshold_pct, max_concurrent_sessions, at least one of them. promote_genesis and demote_genesis: sessions of a genesis (web_ui, api, unknown) become priority or spot; those of triggers are set on the trigger. reset_genesis_classes: back to the defaults.",
  isDestructive: true,
  isIdempotent: true,
  input: SPOT_ACTION_INPUT,
  output: SPOT_POLICY,
  async run({ services }, args) {
    await changeSpotPolicy(services, args);
    const policy = await readSpotPolicy(services);
    const done = receipt(md`Spot policy changed`, [["Action", args.action]]);
    return new Written(spotText(policy, done), spotShape(policy));
  },
});

/**
 * Changes the policy.
 *
 * @throws {FleetRefusalError} It is refused.
 * @throws {ToolError} An argument is missing.
 */
export async function changeSpotPolicy(
  services: Services,
  args: ArgsOf<typeof SPOT_ACTION_INPUT>,
): Promise<void> {
  const { action, genesis } = args;
  switch (action) {
    case "set_gating":
      await setGating(services, {
        isGating: args.enabled,
        fiveHourPct: args.five_hour_threshold_pct,
        weeklyPct: args.weekly_threshold_pct,
        maxConcurrent: args.max_concurrent_sessions,
      });
      break;
    case "promote_genesis":
    case "demote_genesis": {
      if (genesis === undefined) {
        throw new ToolError(
          `${action} needs genesis: web_ui, api or unknown. Nothing was changed`,
        );
      }
      const isPromoting = action === "promote_genesis";
      await setGenesisClass(
        services,
        genesis,
        isPromoting ? "priority" : "spot",
      );
      break;
    }
    case "reset_genesis_classes":
      await resetGenesisClasses(services);
  }
}
