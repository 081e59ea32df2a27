import { deepEqual, equal, ok } from "node:assert/strict";
import { mock } from "node:test";
import { createLog } from "../../mcp/mod.ts";
import type { SweepReport } from "../../store/root_data/mod.ts";
import { type Schedule, scheduleSweeps } from "./sweep_schedule.ts";

const REPORT: SweepReport = {
  isSkipped: false,
  deleted: 3,
  batches: 1,
  isTimedOut: false,
  recounted: 2,
  drift: [],
  elapsedMs: 12.4,
};

/** A schedule that ticks when it is told to, and a log that is kept. */
function bench(sweep: (signal: AbortSignal) => Promise<SweepReport>) {
  const patterns: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const counted: (SweepReport | undefined)[] = [];
  let tick: (() => void) | undefined;
  const schedule: Schedule = (pattern, wanted) => {
    patterns.push(pattern);
    tick = wanted;
    return {
      [Symbol.dispose]: () => {
        tick = undefined;
      },
    };
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const log = createLog("debug", (line) => {
    logged.push(JSON.parse(line));
    resolve();
  });
  const sweeps = scheduleSweeps({
    sweep,
    log,
    count: (report) => counted.push(report),
    schedule,
    stopLimitMs: 50,
  });
  return {
    patterns,
    logged,
    counted,
    tick: () => tick?.(),
    isScheduled: () => tick !== undefined,
    /** Resolves with the first line of the log. */
    line: promise.then(() => logged[0]),
    [Symbol.asyncDispose]: () => sweeps[Symbol.asyncDispose](),
  };
}

Deno.test("a sweep runs at minute 35 and logs its report on one line", async () => {
  await using it = bench(() => Promise.resolve(REPORT));
  deepEqual(it.patterns, ["35 * * * *"]);
  it.tick();
  const { time: _time, ...line } = await it.line ?? {};
  deepEqual(line, {
    level: "info",
    event: "sweep",
    is_skipped: false,
    deleted: 3,
    batches: 1,
    is_timed_out: false,
    recounted: 2,
    drift: [],
    elapsed_ms: 12,
  });
  deepEqual(it.counted, [REPORT]);
});

const DRIFT = {
  namespace: "n",
  collection: "c",
  records: { before: 1, after: 2 },
  bytes: { before: 1, after: 2 },
};

for (
  const [name, part] of Object.entries({
    "found drift": { drift: [DRIFT] },
    "timed out": { isTimedOut: true },
  })
) {
  Deno.test(`a sweep that ${name} is a warning`, async () => {
    await using it = bench(() => Promise.resolve({ ...REPORT, ...part }));
    it.tick();
    equal((await it.line)?.level, "warn");
  });
}

Deno.test("a sweep that fails is logged, and the next tick sweeps again", async () => {
  let calls = 0;
  await using it = bench(() => {
    calls++;
    return Promise.reject(new Error("Boom"));
  });
  it.tick();
  const line = await it.line;
  deepEqual([line?.level, line?.event], ["error", "sweep_failed"]);
  deepEqual(it.counted, [undefined]);
  await Promise.resolve();
  it.tick();
  equal(calls, 2);
});

Deno.test("a tick during a sweep does not start another", async () => {
  const gate = Promise.withResolvers<SweepReport>();
  let calls = 0;
  await using it = bench(() => {
    calls++;
    return gate.promise;
  });
  it.tick();
  it.tick();
  gate.resolve(REPORT);
  await it.line;
  equal(calls, 1);
});

Deno.test("disposing stops the schedule, asks the sweep to stop and waits for it", async () => {
  const it = bench((signal) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(REPORT))
    )
  );
  it.tick();
  await it[Symbol.asyncDispose]();
  ok(!it.isScheduled());
  deepEqual(it.logged.map((one) => one.event), ["sweep"]);
});

Deno.test("disposing does not wait for ever", async () => {
  const gate = Promise.withResolvers<SweepReport>();
  const it = bench(() => gate.promise);
  it.tick();
  await it[Symbol.asyncDispose]();
  deepEqual(it.logged.map((one) => one.event), ["sweep_left_running"]);
  gate.resolve(REPORT);
});

Deno.test("the real schedule fires at minute 35 of the hour", async () => {
  mock.timers.enable({
    apis: ["Date", "setTimeout"],
    now: Date.UTC(2026, 0, 1, 10, 34, 30),
  });
  try {
    let calls = 0;
    const sweeps = scheduleSweeps({
      sweep: () => {
        calls++;
        return Promise.resolve(REPORT);
      },
      log: createLog("error"),
    });
    mock.timers.tick(29_000);
    equal(calls, 0);
    mock.timers.tick(2_000);
    equal(calls, 1);
    mock.timers.tick(58 * 60_000);
    equal(calls, 1);
    await sweeps[Symbol.asyncDispose]();
  } finally {
    mock.timers.reset();
  }
});
