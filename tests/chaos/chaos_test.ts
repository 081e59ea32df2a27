import { deepEqual, ok } from "node:assert/strict";
import { HAS_SWEEP } from "../../runner/process/marker.ts";
import { runChaos } from "./chaos.ts";

Deno.test({
  name:
    "[behaviours 1, 5, 7, 11, 13, 16] with servers, runners, agents and PostgreSQL killed, every message ends once and in order, and nothing lies",
  ignore: !HAS_SWEEP,
  async fn() {
    const report = await runChaos({
      sessions: 5,
      messages: 4,
      kills: 8,
      seed: 17,
      durations: import.meta.resolve("./short_turns.ts"),
      limitMs: 240_000,
    });
    deepEqual(report.violations, []);
    deepEqual(Object.keys(report.kills).length, 4);
    ok(report.looks > 0);
  },
});
