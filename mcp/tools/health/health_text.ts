/**
 * The health report as text.
 *
 * @module
 */
import { Markdown } from "../../markdown/document.ts";
import { Inline, md, preview } from "../../markdown/inline.ts";
import type { FleetShape } from "../../watch/fleet_shape.ts";
import type { HealthReport } from "../../watch/health.ts";

/** The report. */
export function healthText(report: HealthReport): string {
  const { fleet, catalog, root_data_health, memory } = report;
  const answer = new Markdown()
    .heading(2, md`System health: ${report.status}`)
    .field("Time", report.time)
    .field("Environment", report.environment)
    .field("Version", new Inline(report.version));
  writeRecovery(answer, fleet);
  for (const part of fleet.unreadable) {
    answer.field("Could not be read", part);
  }
  for (const concern of fleet.concerns) {
    answer.field("Needs attention", concern);
  }
  writeBacklog(answer, fleet);
  writeAgents(answer, fleet);
  writeRunners(answer, fleet);
  writeSecrets(answer, fleet);
  if (fleet.cli_status !== undefined) writeClis(answer, fleet.cli_status);
  return answer.heading(3, md`Catalog, root data and memory`)
    .json({ catalog, root_data_health, memory }).text;
}

/** Stated on and off: figures of a halted lane mean something else. */
function writeRecovery(answer: Markdown, { recovery_mode }: FleetShape): void {
  if (recovery_mode === null) {
    answer.field("Queue recovery mode", "unknown");
  } else if (!recovery_mode.is_on) {
    answer.field("Queue recovery mode", "off: the lanes take jobs");
  } else {
    answer.field(
      "Queue recovery mode",
      md`ON until ${recovery_mode.until ?? ""}: ${
        preview(recovery_mode.reason ?? "", 300)
      }. The lanes take no jobs, turns of agents go on; exit_queue_recovery_mode ends it`,
    );
  }
}

/** Ready work by lane and class, and what holds lanes up: silent where nothing is. */
function writeBacklog(answer: Markdown, fleet: FleetShape): void {
  answer.heading(3, md`Lanes`);
  if (fleet.lanes === null) {
    answer.line(md`The lanes could not be read.`);
    return;
  }
  const waiting = fleet.lanes.filter(({ ready }) => ready > 0);
  const busy = fleet.lanes.filter(({ in_flight }) => in_flight > 0);
  const failed = fleet.lanes.filter(({ failed }) => failed > 0);
  const deferred = fleet.lanes.reduce((sum, lane) => sum + lane.deferred, 0);
  answer.line(
    waiting.length === 0
      ? md`No job is ready and waiting; ${deferred} wait for their time.`
      : md`Jobs that are ready and wait, and ${deferred} that wait for their time:`,
  );
  for (const { lane, ready, head_of_line_seconds } of waiting) {
    answer.item(
      md`${lane}: ${ready} ready, the first in line for ${
        seconds(head_of_line_seconds)
      }`,
    );
  }
  for (const { lane, job_class, ready } of fleet.job_classes ?? []) {
    answer.item(md`${ready} × ${job_class} in ${lane}`, 1);
  }
  if (fleet.longest_waiting !== null) {
    const { lane, job_class, seconds: age } = fleet.longest_waiting;
    answer.field(
      "Longest waiting",
      md`${job_class} in ${lane}, ${seconds(age)}`,
    );
  }
  if (busy.length > 0) {
    const each = (
      value: (lane: typeof busy[number]) => string | number,
    ) => busy.map((lane) => `${lane.lane} ${value(lane)}`).join(", ");
    answer.field(
      "In flight by queue",
      each(({ in_flight }) => `${in_flight} of 10 a server`),
    );
    answer.field(
      "Oldest execution by queue",
      each((lane) => seconds(lane.oldest_execution_seconds)),
    );
    answer.field(
      "Youngest execution by queue",
      each((lane) => seconds(lane.youngest_execution_seconds)),
    );
  }
  for (const lane of failed) {
    answer.field("Given up", `${lane.failed} in ${lane.lane}`);
  }
}

function writeAgents(
  answer: Markdown,
  { agents, sessions, silent_turns }: FleetShape,
): void {
  answer.heading(3, md`Agents`);
  if (agents === null) {
    answer.line(md`Turns could not be read.`);
  } else {
    answer.field(
      "Turns",
      `${agents.ready} ready, ${agents.held_by_spot_gate} held by the spot gate, ${agents.deferred} not yet due, ${agents.in_flight} in flight of ${agents.slots} slots`,
    );
    if (agents.head_of_line_seconds !== null) {
      answer.field("First in line", seconds(agents.head_of_line_seconds));
    }
    if (agents.in_flight > 0) {
      answer.field("Oldest turn", seconds(agents.oldest_execution_seconds));
      answer.field("Youngest turn", seconds(agents.youngest_execution_seconds));
    }
    const states = Object.entries(sessions ?? {})
      .map(([status, count]) => `${count} ${status}`).join(", ");
    answer.field("Sessions", states === "" ? "none" : states);
  }
  if (silent_turns === null) {
    answer.line(md`Leases without events could not be read.`);
    return;
  }
  for (const turn of silent_turns) {
    answer.field(
      "Lease without events",
      `turn ${turn.turn_id} of session ${turn.session_id} on runner ${turn.runner_id} (${turn.phase}), silent for ${
        seconds(turn.silent_seconds)
      }`,
    );
  }
}

function writeRunners(answer: Markdown, { runners }: FleetShape): void {
  answer.heading(3, md`Runners`);
  if (runners === null) answer.line(md`Runners could not be read.`);
  else if (runners.length === 0) {
    answer.line(md`No runner is registered: no session can run.`);
  }
  for (const one of runners ?? []) {
    const seen = one.is_seen
      ? "here"
      : one.seen_at === null
      ? "never seen"
      : `last seen ${one.seen_at}`;
    answer.item(
      md`${one.runner_id} ${preview(one.name, 100)}: ${seen}${
        one.is_draining ? ", takes no more turns" : ""
      }; ${one.turns} of ${one.slots} slots; ${
        one.runtimes.length === 0
          ? "offers nothing"
          : preview(one.runtimes.join(", "), 300)
      }`,
    );
  }
}

/** Names and nothing else: whoever reads this may be an agent. */
function writeSecrets(answer: Markdown, fleet: FleetShape): void {
  answer.heading(3, md`Secret store`);
  const { secret_names: names, secret_names_omitted: omitted } = fleet;
  answer.line(
    names === null
      ? md`Which \${VAR}s resolve is unknown: runners could not be read.`
      : names.length === 0
      ? md`\${VAR}s resolve from the environments of runners, and no runner has named one.`
      : md`\${VAR}s resolve from the environments of runners. Names that do, never their values: ${
        preview(names.join(", "), 4_000)
      }${omitted > 0 ? `, and ${omitted} more` : ""}`,
  );
}

function writeClis(
  answer: Markdown,
  clis: NonNullable<FleetShape["cli_status"]>,
): void {
  answer.heading(3, md`Agent programs`);
  if (clis.length === 0) {
    answer.line(
      md`No runner has said which it has; cli_refresh of action_health asks them.`,
    );
  }
  for (const { runner_id, runtime, version, login } of clis) {
    answer.item(
      md`Runner ${runner_id}: ${runtime} ${
        version ?? "(no version)"
      }, login ${login}`,
    );
  }
}

function seconds(value: number | null): string {
  if (value === null) return "unknown";
  return value < 120 ? `${value} s` : `${Math.round(value / 60)} min`;
}
