/** The suite over the stand-in: every placing, with every quirk on and off. */
import { CASES } from "../../tests/support/engine_suite.ts";
import {
  type DoubleOptions,
  flaky,
  openDoubleWorld,
  PLACINGS,
} from "../../tests/support/engine_worlds.ts";

const AS_IT_IS: DoubleOptions = {};

const QUIRKS: Readonly<Record<string, DoubleOptions>> = {
  "as it is": AS_IT_IS,
  "each event listed once": { quirks: { doubleListing: false } },
  "listing by plain prefix": { quirks: { plainPrefix: true } },
  "scopes as plain texts": { quirks: { plainScopes: true } },
  "a tenant that repeats the root": { quirks: { tenant: "org:42" } },
  "listings that lag": { quirks: { listingLag: 2 } },
  "recalls that lag": { quirks: { recallLag: 3 } },
  "every third answer bad": { wrap: flaky },
  "erasures that leave what lies below": { quirks: { eraseBelow: "keep" } },
  "erasures that take their time": { quirks: { erasureSteps: 3 } },
  "keys that outlive their events": { quirks: { forgetReleasesKeys: false } },
  "roles before recalled texts": { quirks: { rolePrefix: true } },
  "registrations refused": { quirks: { registrationStatus: 403 } },
  "an actor to name": { quirks: { subject: "user:alice" } },
  "no whoami": { quirks: { hasWhoami: false } },
  "no erasure of single scopes": { quirks: { hasScopedErasure: false } },
};

for (const [placing, settings] of Object.entries(PLACINGS)) {
  const isLegacy = placing === "legacy";
  for (const [quirk, options] of Object.entries(QUIRKS)) {
    const isPlain = options === AS_IT_IS;
    // What differs between the layouts is in no quirk.
    if (isLegacy && !isPlain) continue;
    Deno.test(`engine, ${placing}, ${quirk}`, async (t) => {
      for (const one of CASES) {
        if (one.needsOld && isLegacy || one.isHeavy && !isPlain) continue;
        await t.step(one.name, async () => {
          await using world = openDoubleWorld(settings, options);
          await one.run(world);
        });
      }
    });
  }
}
