/**
 * The fleet's part of the health page: lanes, turns and runners, and the forms
 * with which an operator does something about them.
 *
 * @module
 */
import { OLD_DAYS, RECOVERY_MINUTES } from "../../../fleet/mod.ts";
import type { FleetShape } from "../../watch/fleet_shape.ts";
import { figure, text, time } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { facts, note, panel, state, table } from "../parts.ts";

/** The panels. */
export function fleetPanels(fleet: FleetShape, now: number): Html {
  return markup`${jobsPanel(fleet, now)}${agentsPanel(fleet, now)}`;
}

function jobsPanel(fleet: FleetShape, now: number): Html {
  const { lanes, recovery_mode: recovery } = fleet;
  const word = recovery === null
    ? state("Unknown", "calm")
    : recovery.is_on
    ? state("Halted", "warn")
    : state("Open", "good");
  const halted = recovery?.is_on === true && note(
    "warn",
    markup`Recovery mode lasts until ${time(recovery.until, now)}: ${
      text(recovery.reason ?? "")
    }. The lanes take no jobs; turns of agents go on.`,
  );
  return panel("jobs", "Jobs", word, [
    markup`${halted}`,
    lanes === null ? markup`<p>The lanes could not be read.</p>` : table(
      "Lanes",
      [
        { label: "Lane" },
        { label: "Ready", isFigure: true },
        { label: "First in line", isFigure: true },
        { label: "Not yet due", isFigure: true },
        { label: "In flight", isFigure: true },
        { label: "Oldest", isFigure: true },
        { label: "Given up", isFigure: true },
      ],
      lanes.map((lane) => [
        lane.lane,
        figure(lane.ready),
        age(lane.head_of_line_seconds),
        figure(lane.deferred),
        figure(lane.in_flight),
        age(lane.oldest_execution_seconds),
        figure(lane.failed),
      ]),
    ),
    recovery?.is_on === true
      ? button("exit_queue_recovery_mode", "Open the lanes")
      : markup`
<div class="levers"><form method="post" action="${
        act("enter_queue_recovery_mode")
      }">
  <label>Reason <input name="reason" required maxlength="1000" dir="auto"></label>
  <label>Minutes <input name="ttl_minutes" inputmode="numeric" size="4" value="${
        String(RECOVERY_MINUTES.standard)
      }"></label>
  <button type="submit" class="quiet">Halt the lanes</button>
</form></div>`,
  ]);
}

function agentsPanel(fleet: FleetShape, now: number): Html {
  const { agents, runners, silent_turns: silent } = fleet;
  const isQuiet = silent !== null && silent.length > 0;
  const word = agents === null
    ? state("Unknown", "calm")
    : isQuiet || agents.expired_leases > 0
    ? state("Look", "warn")
    : state("OK", "good");
  return panel("agents", "Agents", word, [
    agents === null ? markup`<p>Turns could not be read.</p>` : facts([
      ["Ready", figure(agents.ready)],
      ["Held by the spot gate", figure(agents.held_by_spot_gate)],
      ["Not yet due", figure(agents.deferred)],
      ["In flight", `${figure(agents.in_flight)} of ${figure(agents.slots)}`],
      ["First in line", age(agents.head_of_line_seconds)],
      ["Oldest turn", age(agents.oldest_execution_seconds)],
    ]),
    markup`${
      (silent ?? []).map((turn) =>
        markup`<p>Turn ${turn.turn_id} of session ${turn.session_id} on runner ${turn.runner_id} has said nothing for ${
          age(turn.silent_seconds)
        }.</p>`
      )
    }`,
    runnersOf(runners, now),
    markup`
<div class="levers">
  ${button("cleanup_processes", "Clean up processes")}
  ${button("retry_sessions", "Retry failed sessions")}
  <form method="post" action="${act("archive_old")}">
    <label>Days <input name="days" inputmode="numeric" size="4" value="${
      String(OLD_DAYS.standard)
    }"></label>
    <button type="submit" class="quiet">Archive sessions at rest</button>
  </form>
  ${button("cli_refresh", "Ask for agent programs")}
  ${button("backfill_token_usage", "Read use into the ledger")}
</div>`,
  ]);
}

function runnersOf(runners: FleetShape["runners"], now: number): Html {
  if (runners === null) return markup`<p>Runners could not be read.</p>`;
  if (runners.length === 0) {
    return markup`<p>No runner is registered, so no session can run: <code>deno task runner register</code>.</p>`;
  }
  return table(
    "Runners",
    [
      { label: "Runner" },
      { label: "Seen" },
      { label: "Turns", isFigure: true },
      { label: "Offers" },
    ],
    runners.map((one) => [
      markup`${one.runner_id} ${text(one.name)}`,
      markup`${one.is_seen ? state("Here", "good") : state("Away", "warn")} ${
        time(one.seen_at, now)
      }${one.is_draining && " takes no more turns"}`,
      `${figure(one.turns)} of ${figure(one.slots)}`,
      text(one.runtimes.join(", ")),
    ]),
  );
}

function act(action: string): string {
  return `${PATHS.health}/${action}`;
}

function button(action: string, label: string): Html {
  return markup`<form method="post" action="${
    act(action)
  }"><button type="submit" class="quiet">${label}</button></form>`;
}

function age(seconds: number | null): string {
  if (seconds === null) return "–";
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
