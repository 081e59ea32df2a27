import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { fuse } from "./fuse.ts";

const key = (one: number) => String(one);
const RANKING = fc.uniqueArray(fc.nat(20), { maxLength: 15 });

Deno.test("fuse() of one ranking is that ranking", () => {
  fc.assert(fc.property(RANKING, (ranking) => {
    deepEqual(fuse([ranking], key), ranking);
  }));
});

Deno.test("fuse() has everything once, and what is first everywhere first", () => {
  fc.assert(
    fc.property(
      fc.array(RANKING, { minLength: 1, maxLength: 5 }),
      (rankings) => {
        const fused = fuse(rankings, key);
        deepEqual(fused.toSorted(), [...new Set(rankings.flat())].toSorted());
        const led = rankings.map((ranking) => [99, ...ranking]);
        equal(fuse(led, key)[0], 99);
      },
    ),
  );
});

Deno.test("fuse() puts what several have before what one has at the same place", () => {
  deepEqual(fuse([[1, 2], [3, 2]], key), [2, 1, 3]);
});
