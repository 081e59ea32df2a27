/**
 * `get_spot_policy`: whether spot sessions go on now, and why.
 *
 * @module
 */
import { readSpotPolicy } from "../../../fleet/mod.ts";
import { NO_INPUT } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { SPOT_POLICY, spotShape, spotText } from "./spot_shape.ts";

/** The tool. */
export const getSpotPolicy = defineTool({
  name: "get_spot_policy",
  title: "Get spot policy",
  access: "read",
  description:
    "Shows whether spot sessions go on now or are held, and why: the gate's settings, the limits of logins as agents reported them, how many sessions run and how many are held, and the class of each genesis. The gate holds spot sessions only, counts every running one, and lets pass where it does not know.",
  isDestructive: false,
  isIdempotent: true,
  input: NO_INPUT,
  output: SPOT_POLICY,
  async run({ services }) {
    const policy = await readSpotPolicy(services);
    return new Written(spotText(policy), spotShape(policy));
  },
});
