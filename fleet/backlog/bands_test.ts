import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { BANDS, GAP, placeIn } from "./bands.ts";

Deno.test("a band begins at its base and grows downwards by the gap", () => {
  const band = BANDS.small;
  deepEqual(placeIn(band, []), { precedence: 6_000, moves: [] });
  deepEqual(placeIn(band, [{ id: 1, precedence: 6_500 }]), {
    precedence: 6_000,
    moves: [],
  });
  deepEqual(placeIn(band, [{ id: 1, precedence: 5_010 }]), {
    precedence: 5_990,
    moves: [{ id: 1, precedence: 6_000 }],
  });
});

Deno.test("no band reaches into another, and appending fills one to a refusal", () => {
  for (const band of Object.values(BANDS)) {
    const slots: { id: number; precedence: number }[] = [];
    let respaced = 0;
    for (let id = 1;; id++) {
      const placed = placeIn(band, slots);
      if (placed === undefined) break;
      if (placed.moves.length > 0) respaced++;
      for (const { id, precedence } of placed.moves) {
        const slot = slots.find((one) => one.id === id);
        if (slot !== undefined) slot.precedence = precedence;
      }
      slots.push({ id, precedence: placed.precedence });
      const places = slots.map(({ precedence }) => precedence);
      ok(places.every((one) => one > band.floor && one <= band.base));
      // First in, first out, and no two at one place.
      deepEqual(places, [...new Set(places)].sort((a, b) => b - a));
    }
    ok(respaced > 0 && slots.length > 45, String(slots.length));
  }
});

Deno.test("spreading keeps the order and makes room, or nothing moves", () => {
  const slots = fc.uniqueArray(fc.integer({ min: 5_000, max: 6_999 }), {
    maxLength: 200,
  }).map((places) =>
    places.sort((a, b) => b - a).map((precedence, at) => ({
      id: at + 1,
      precedence,
    }))
  );
  fc.assert(fc.property(slots, (before) => {
    const placed = placeIn(BANDS.small, before);
    if (placed === undefined) return;
    const after = placed.moves.length === 0 ? before : placed.moves;
    deepEqual(after.map(({ id }) => id), before.map(({ id }) => id));
    const lowest = Math.min(6_000 + GAP, ...after.map((one) => one.precedence));
    equal(placed.precedence, lowest - GAP);
    ok(placed.precedence > BANDS.small.floor);
  }));
});
