import { deepEqual, equal, rejects } from "node:assert/strict";
import { Semaphore } from "./semaphore.ts";

Deno.test("no more work at once than there are turns, in the order in which it came", async () => {
  const turns = new Semaphore(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const works = ends.map((end, at) =>
    turns.take(() => {
      begun.push(at);
      return end.promise;
    })
  );
  deepEqual(begun, [0, 1]);
  for (const [at, end] of ends.entries()) {
    end.resolve();
    await works[at];
    // Lets the next one in line begin.
    await new Promise((resolve) => setTimeout(resolve));
    equal(begun.length, Math.min(at + 3, 5));
  }
  deepEqual(begun, [0, 1, 2, 3, 4]);
});

Deno.test("a turn is given back when nobody waits for it, and by work that fails", async () => {
  const turns = new Semaphore(1);
  for (let times = 0; times < 3; times++) {
    const fails = turns.take(() => Promise.reject(new Error("Failed")));
    await rejects(fails, /Failed/);
    let hasBegun = false;
    const works = turns.take(() => {
      hasBegun = true;
      return Promise.resolve(times);
    });
    equal(hasBegun, true);
    equal(await works, times);
  }
});
