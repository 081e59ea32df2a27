import { deepEqual, ok } from "node:assert/strict";
import { runSoak } from "./soak.ts";

Deno.test({
  name: "a short soak loses, doubles and leaks nothing, and holds every cap",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { counts, faults, seed, memory: _, ...report } = await runSoak({
      seconds: 15,
      seed: 74,
    });
    deepEqual(report, {
      ok: true,
      seconds: 15,
      impossible: report.impossible,
      violations: [],
      leaked: [],
      lost: [],
      duplicated: [],
      unexplained: [],
      beyondCaps: [],
      drift: [],
    }, `Seed ${seed}`);
    ok((counts.created ?? 0) > 0 && (counts.reads ?? 0) > 0);
    ok(Object.keys(faults).length > 0);
  },
});
