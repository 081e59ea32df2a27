import { deepEqual } from "node:assert/strict";
import { Deadlines } from "./deadlines.ts";

Deno.test("Deadlines tells what is late, in order, and nothing that has ended", async () => {
  const deadlines = new Deadlines(20);
  const late: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  deadlines.begin(() => {
    late.push("first");
    deadlines.begin(() => {
      late.push("third");
      resolve();
    });
  });
  const end = deadlines.begin(() => late.push("ended"));
  deadlines.begin(() => late.push("second"));
  end();
  // Its own timer lets a process end, and nothing else runs here.
  const alive = setTimeout(() => {}, 60_000);
  await promise;
  clearTimeout(alive);
  deepEqual(late, ["first", "second", "third"]);
  deadlines.close();
});

Deno.test("Deadlines runs no timer once it is closed", () => {
  const deadlines = new Deadlines(60_000);
  deadlines.begin(() => {})();
  deadlines.close(); // The sanitizer fails the test otherwise.
});

Deno.test("what begins after the end starts no timer", () => {
  const deadlines = new Deadlines(60_000);
  deadlines.close();
  deadlines.begin(() => {}); // The sanitizers would find a timer.
});
