import { deepEqual, ok } from "node:assert/strict";
import { runSoak } from "./soak.ts";

Deno.test({
  name: "a short soak loses, doubles and leaks nothing, and holds every cap",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { counts, faults, seed, memory: _, ...report } = await runSoak({
      seconds: 10,
      seed: 74,
      pace: "short",
    });
    deepEqual(report, {
      ok: true,
      seconds: 10,
      impossible: report.impossible,
      violations: [],
      leaked: [],
      lost: [],
      duplicated: [],
      unexplained: [],
      beyondCaps: [],
      drift: [],
    }, `Seed ${seed}: ${JSON.stringify(report)}`);
    ok((counts.created ?? 0) > 0 && (counts.reads ?? 0) > 0);
    ok((counts["sessions: begun by agents"] ?? 0) > 0);
    ok(Object.keys(faults).length > 0);
  },
});
