import { deepEqual } from "node:assert/strict";
import type { SpotState } from "../../store/spot/mod.ts";
import { decideGate } from "./gate.ts";

/** A gate that is on, with one login at these percents. */
function state(
  used: { readonly five?: number | null; readonly week?: number | null } | null,
  part: Partial<SpotState> = {},
): SpotState {
  const at = (value: number | null) => ({ utilization: value, resetsAt: null });
  const login = {
    runtime: "claude_code",
    account: "a",
    rejectedUntil: null,
    reportedAt: new Date(0),
    windows: new Map([
      ["five_hour", at(used?.five ?? null)],
      ["seven_day", at(used?.week ?? null)],
    ]),
  };
  return {
    settings: {
      isGating: true,
      fiveHourPct: 80,
      weeklyPct: 90,
      maxConcurrent: 3,
      classes: {},
    },
    logins: used === null ? [] : [login],
    running: 0,
    paused: 0,
    live: {},
    ...part,
  };
}

Deno.test("the gate holds at a limit of every login or at the cap, and passes where it does not know", () => {
  const off = state({ five: 1 });
  const rejected = state({ five: 0 });
  const [login] = rejected.logins;
  const cases: [SpotState, boolean, string][] = [
    [
      { ...off, settings: { ...off.settings, isGating: false } },
      true,
      "gating_disabled",
    ],
    [state(null), true, "no_snapshot"],
    [state({}), true, "no_snapshot"],
    [state({ five: 0.79, week: 0.89 }), true, "within_limits"],
    [state({ five: 0.8, week: 0 }), false, "at_utilization_limit"],
    [state({ five: 0, week: 0.9 }), false, "at_utilization_limit"],
    [state({ five: 1.2 }), false, "at_utilization_limit"],
    [state({ week: 0.1 }), true, "within_limits"],
    [state({ five: 0 }, { running: 3 }), false, "fleet_at_cap"],
    [state({ five: 0 }, { running: 2 }), true, "within_limits"],
    [
      {
        ...rejected,
        logins: login === undefined
          ? []
          : [{ ...login, rejectedUntil: new Date() }],
      },
      false,
      "at_utilization_limit",
    ],
    [
      {
        ...rejected,
        logins: [...state({ five: 1 }).logins, ...rejected.logins],
      },
      true,
      "within_limits",
    ],
  ];
  for (const [given, isAllowed, reason] of cases) {
    deepEqual(decideGate(given), { isAllowed, reason });
  }
});

Deno.test("what is held goes on again five points below", () => {
  const at = (five: number) => state({ five });
  const isFree = (five: number) =>
    decideGate(at(five), { isResuming: true }).isAllowed;
  deepEqual([isFree(0.76), isFree(0.75), isFree(0.74)], [false, false, true]);
});
