/** The suite over the stand-in: every placing, with every quirk on and off. */
import { CASES } from "../../tests/support/cortex/engine_suite.ts";
import {
  type DoubleOptions,
  flaky,
  openDoubleWorld,
  PLACINGS,
} from "../../tests/support/cortex/engine_worlds.ts";
import type { Wire } from "../words.ts";

/** A quirk, and the wire that it shows on; none: both. */
interface Quirk extends DoubleOptions {
  readonly wire?: Wire;
}

const AS_IT_IS: Quirk = {};

const QUIRKS: Readonly<Record<string, Quirk>> = {
  "as it is": AS_IT_IS,
  "each event listed once": { quirks: { doubleListing: false } },
  "listing by plain prefix": { quirks: { plainPrefix: true } },
  "scopes as plain texts": { quirks: { plainScopes: true } },
  "listings that lag": { quirks: { listingLag: 2 } },
  "recalls that lag": { quirks: { recallLag: 3 } },
  "every third answer bad": { wrap: flaky },
  "keys that outlive their events": { quirks: { forgetReleasesKeys: false } },
  "roles before recalled texts": { quirks: { rolePrefix: true } },
  "a tenant that repeats the root": {
    wire: "hosted",
    quirks: { tenant: "org:42" },
  },
  "no erasure of single scopes": {
    wire: "hosted",
    quirks: { hasScopedErasure: false },
  },
  "erasures that leave what lies below": {
    wire: "direct",
    quirks: { eraseBelow: "keep" },
  },
  "erasures that take their time": {
    wire: "direct",
    quirks: { erasureSteps: 3 },
  },
  "registrations refused": {
    wire: "direct",
    quirks: { registrationStatus: 403 },
  },
  "an actor to name": { wire: "direct", quirks: { subject: "user:alice" } },
  "no whoami": { wire: "direct", quirks: { hasWhoami: false } },
};

/** What differs between placings of one wire is in no quirk. */
const QUIRKED = ["direct", "hosted, named root", "hosted, tenant root"];

for (const [placing, settings] of Object.entries(PLACINGS)) {
  const { wire = "direct", retiredScopeRoot } = settings;
  for (const [name, quirk] of Object.entries(QUIRKS)) {
    const isPlain = quirk === AS_IT_IS;
    if (!isPlain && !QUIRKED.includes(placing)) continue;
    if ((quirk.wire ?? wire) !== wire) continue;
    Deno.test(`engine, ${placing}, ${name}`, async (t) => {
      for (const one of CASES) {
        if (one.needsOld && retiredScopeRoot === undefined) continue;
        if (one.isHeavy && !isPlain) continue;
        await t.step(one.name, async () => {
          await using world = openDoubleWorld(
            { ...settings, scopeOwner: "user:alice" },
            quirk,
          );
          await one.run(world);
        });
      }
    });
  }
}
