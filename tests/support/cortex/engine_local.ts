/**
 * Engines on the local CortexDB, called without a port.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import { createLocalCortex } from "../../../cortex/local/mod.ts";
import { PostgresEventLog } from "../../../store/event_log/mod.ts";
import { buildEngines, type Placing, type World } from "./engine_worlds.ts";
import { FakeClock } from "../fake_clock.ts";
import type { TestDb } from "../test_db.ts";

/** Roots that nothing was ever stored below. */
export function freshRoots(above: string): Placing {
  const id = crypto.randomUUID().slice(0, 8);
  return {
    scopeRoot: `${above}${id}`,
    retiredScopeRoot: `${above}${id}-old`,
    scopeOwner: "user:alice",
  };
}

/** An empty world on a database that others may use as well. */
export function openLocalWorld({ db }: TestDb): World {
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  const clock = new FakeClock();
  const engines = buildEngines(freshRoots("org:"), {
    endpoint: "http://127.0.0.1:3141",
    credential: "any",
    fetch: (input, init) => fetch(new Request(input, init)),
    clock,
  });
  return {
    ...engines,
    double: undefined,
    clock,
    canErase: true,
    recallLag: 0,
    isRecallExact: true,
    [Symbol.asyncDispose]() {
      // What is written is seen at once, and nothing ever has to be waited for.
      ok(clock.slept.length === 0, `slept ${clock.slept}`);
      return Promise.resolve();
    },
  };
}
