import { throws } from "node:assert/strict";
import { WorkLimitError, WorkMeter } from "./meter.ts";

Deno.test("time that other programs had the machine for is not used up", () => {
  let [clock, computed] = [0, 0];
  const meter = new WorkMeter(() => clock, () => computed);
  meter.restart(10);
  clock = 60_000;
  computed = 10;
  meter.spend(1_000);
  computed = 11;
  throws(() => meter.spend(1_000), WorkLimitError);
  meter.restart(10);
  clock += 10;
  // Several threads compute at once.
  computed += 40;
  meter.spend(1_000);
  clock += 1;
  throws(() => meter.spend(1_000), WorkLimitError);
});
