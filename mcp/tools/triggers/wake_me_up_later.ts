/**
 * `wake_me_up_later`: a session sleeps until a time.
 *
 * @module
 */
import { wakeLater } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";
import { ARMED, armedReceipt, sleeperOf, WAKE_INPUT } from "./wake_input.ts";

/** The tool. */
export const wakeMeUpLater = defineTool({
  name: "wake_me_up_later",
  title: "Wake me up later",
  access: "write",
  description: () =>
    `Lets this session sleep until a time, without costing anything, and wakes it with your prompt. End your turn after it. wake_at is a local time without an offset, in timezone (UTC by default), more than 30 seconds ahead; it is now ${
      new Date().toISOString().slice(0, 19)
    } UTC. A message that comes meanwhile is answered and leaves the wake armed; the first wake that fires ends this session's others. Restart and archive end it.`,
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    wake_at: {
      type: "string",
      description: "2026-03-01T09:30, seconds optional, no offset",
    },
    timezone: {
      type: "string",
      description: "IANA zone of wake_at, e.g. Europe/Berlin; UTC by default",
    },
    ...WAKE_INPUT,
  }, ["wake_at", "prompt"]),
  output: ARMED,
  async run({ connection, services }, args) {
    const armed = await wakeLater(
      fleetOf(services),
      fleetCallerOf(connection),
      {
        sessionId: sleeperOf(connection, args.session_id),
        wakeAt: args.wake_at,
        timezone: args.timezone,
        prompt: args.prompt,
      },
    );
    return armedReceipt(
      armed,
      `at ${args.wake_at} in ${args.timezone ?? "UTC"}`,
    );
  },
});
