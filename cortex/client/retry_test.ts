import { equal } from "node:assert/strict";
import {
  type Effect,
  type FailedTry,
  isTransient,
  retryAfterMs,
  retryDelay,
} from "./retry.ts";

const half = () => 0.5;

/** The delays of every retry, with a jitter of one. */
function delaysOf(failed: FailedTry, effect: Effect): string {
  const delays: number[] = [];
  for (let attempt = 1; attempt < 20; attempt++) {
    const delay = retryDelay(failed, { effect, attempt, random: half });
    if (delay === undefined) break;
    delays.push(delay);
  }
  return delays.join(" ");
}

Deno.test("retryDelay() tries reads and keyed writes three times", () => {
  for (const effect of ["read", "keyed_write"] as const) {
    for (const status of [undefined, 408, 429, 500, 502, 503, 504]) {
      equal(delaysOf({ status }, effect), "250 500", `${effect} ${status}`);
    }
  }
});

Deno.test("retryDelay() does not try again what will not change", () => {
  const statuses = [400, 401, 402, 403, 404, 405, 409, 413, 422, 501, 505];
  for (const status of statuses) equal(delaysOf({ status }, "read"), "");
});

Deno.test("retryDelay() never sends a plain write again", () => {
  for (const status of [undefined, 408, 429, 500, 503]) {
    equal(delaysOf({ status }, "write"), "");
  }
});

Deno.test("retryDelay() goes on with an erasure only when told to", () => {
  const errorCode = "ERASURE_INCOMPLETE";
  equal(delaysOf({ status: 502, errorCode }, "resumable_write"), "250 500");
  equal(delaysOf({ status: 502 }, "resumable_write"), "");
  equal(delaysOf({ status: undefined }, "resumable_write"), "");
  equal(delaysOf({ status: 502, errorCode }, "write"), "");
});

Deno.test("retryDelay() waits longer for a scope registration", () => {
  const failed = { status: 503, errorCode: "AUTHORIZATION_STATE_CHANGED" };
  equal(delaysOf(failed, "read"), "250 500 1000 2000 4000");
});

Deno.test("retryDelay() spreads by 0.5 to 1.5 and heeds the server", () => {
  const state = { effect: "read", attempt: 1 } as const;
  const at = (random: number, failed: FailedTry) =>
    retryDelay(failed, { ...state, random: () => random });
  equal(at(0, { status: 500 }), 125);
  equal(at(0.9, { status: 500 }), 350);
  equal(at(0, { status: 429, retryAfterMs: 3_000 }), 3_000);
  equal(at(0.9, { status: 429, retryAfterMs: 10 }), 350);
});

Deno.test("retryDelay() keeps to the caller's most tries", () => {
  const state = { effect: "read", random: half } as const;
  const failed = { status: 500 };
  equal(
    retryDelay(failed, { ...state, attempt: 1, maxAttempts: 1 }),
    undefined,
  );
  equal(retryDelay(failed, { ...state, attempt: 1, maxAttempts: 2 }), 250);
  equal(
    retryDelay(failed, { ...state, attempt: 3, maxAttempts: 9 }),
    undefined,
  );
});

Deno.test("retryAfterMs() reads seconds, capped, and no dates", () => {
  const table: [Record<string, string>, number | undefined][] = [
    [{}, undefined],
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": " 0.5 " }, 500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "86400" }, 10_000],
    [{ "retry-after": "999999999999" }, 10_000],
    [{ "retry-after": "-1" }, undefined],
    [{ "retry-after": "1e9" }, undefined],
    [{ "retry-after": "Tue, 01 Sep 2026 00:00:00 GMT" }, undefined],
    [{ "ratelimit-reset": "3" }, 3_000],
    [{ "retry-after": "soon", "ratelimit-reset": "3" }, 3_000],
    [{ "retry-after": "1", "ratelimit-reset": "3" }, 1_000],
  ];
  for (const [headers, ms] of table) {
    equal(retryAfterMs(new Headers(headers)), ms, JSON.stringify(headers));
  }
});

Deno.test("isTransient() holds for silence and for overload", () => {
  equal(isTransient({ status: undefined }), true);
  equal(isTransient({ status: 503 }), true);
  equal(isTransient({ status: 404 }), false);
});
