import { deepEqual, equal } from "node:assert/strict";

import { SourceHealth } from "./health.ts";

Deno.test("SourceHealth reports a recovery once, with the whole time it was down", () => {
  const events: unknown[] = [];
  const health = new SourceHealth((event) => events.push(event));
  const fail = (reason: string, at: number) =>
    health.fail(reason, { source: "s", at, servesStale: true });
  fail("one", 1_000);
  fail("one", 2_000);
  fail("two", 3_000);
  equal(health.failingSince, 1_000);
  health.succeed({ source: "s", at: 11_000 });
  health.succeed({ source: "s", at: 12_000 });
  equal(health.failingSince, undefined);
  deepEqual(events, [
    { kind: "failed", source: "s", reason: "one", servesStale: true },
    { kind: "failed", source: "s", reason: "two", servesStale: true },
    { kind: "recovered", source: "s", downSeconds: 10 },
  ]);
});
