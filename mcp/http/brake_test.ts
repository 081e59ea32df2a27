import { equal, ok } from "node:assert/strict";
import {
  createBrake,
  MAX_ADDRESSES,
  MAX_FAILURES,
  networkOf,
  WINDOW_MS,
} from "./brake.ts";

Deno.test("an address waits from its last allowed failure to the end of its window", () => {
  let time = 1_000;
  const brake = createBrake(() => time);
  for (let n = 1; n < MAX_FAILURES; n++) equal(brake.fail("10.0.0.1"), false);
  equal(brake.waitOf("10.0.0.1"), undefined);
  time += 20_000;
  equal(brake.fail("10.0.0.1"), true);
  equal(brake.waitOf("10.0.0.1"), 40);
  equal(brake.waitOf("10.0.0.2"), undefined);
  time = 1_000 + WINDOW_MS - 1;
  equal(brake.waitOf("10.0.0.1"), 1);
  time++;
  equal(brake.waitOf("10.0.0.1"), undefined);
});

Deno.test("failures of an earlier window do not count", () => {
  let time = 0;
  const brake = createBrake(() => time);
  for (let n = 1; n < MAX_FAILURES; n++) brake.fail("a");
  time += WINDOW_MS;
  equal(brake.fail("a"), false);
  equal(brake.waitOf("a"), undefined);
});

Deno.test("only so many addresses are remembered, and the oldest gives way", () => {
  const brake = createBrake(() => 0);
  for (let n = 0; n < MAX_FAILURES; n++) brake.fail("first");
  for (let n = 0; n < MAX_FAILURES; n++) brake.fail("second");
  for (let n = 1; n < MAX_ADDRESSES; n++) brake.fail(`later ${n}`);
  equal(brake.waitOf("first"), undefined);
  ok(brake.waitOf("second"));
});

Deno.test("an IPv6 host is its network, whatever address it picks in it", () => {
  equal(networkOf("192.0.2.7"), "192.0.2.7");
  equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
  equal(networkOf("2001:db8:0:1::5"), networkOf("2001:0DB8::1:9:8:7:6"));
  ok(networkOf("2001:db8:0:1::5") !== networkOf("2001:db8:0:2::5"));
  equal(networkOf("::1"), "0:0:0:0");
});
