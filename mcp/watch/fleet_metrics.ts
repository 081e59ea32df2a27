/**
 * The fleet's figures in Prometheus' terms: one reading for all of them, and
 * none while nobody has used the database. What cannot be read is absent.
 *
 * @module
 */
import { Gauge, type Registry } from "@prometheus-io/client";
import { type FleetHealth, isSeen, readFleetHealth } from "../../fleet/mod.ts";
import type { Services } from "../services.ts";
import { withTimeLimit } from "../time_limit.ts";

/** How long a reading may take, in milliseconds. */
const LIMIT_MS = 3_000;

/** A value and the words of its labels, in the order of the labels. */
type Sample = readonly [value: number, ...labels: readonly string[]];

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  read(fleet: FleetHealth): readonly Sample[];
}

const FIGURES: readonly Figure[] = [
  {
    name: "rootcellar_lane_jobs",
    help: "Jobs of a lane: ready, deferred, in flight, given up",
    labels: ["lane", "state"],
    read: ({ lanes }) =>
      lanes?.lanes.flatMap((one): Sample[] => [
        [one.ready, one.lane, "ready"],
        [one.deferred, one.lane, "deferred"],
        [one.inFlight, one.lane, "in_flight"],
        [one.failed, one.lane, "failed"],
      ]) ?? [],
  },
  {
    name: "rootcellar_lane_head_of_line_seconds",
    help: "How long the first in line of a lane has waited",
    labels: ["lane"],
    read: ({ lanes, agents }) => [
      ...(lanes?.lanes.map((one): Sample => [one.headAge ?? 0, one.lane]) ??
        []),
      ...(agents === undefined
        ? []
        : [[agents.headAge ?? 0, "agents"] as const]),
    ],
  },
  {
    name: "rootcellar_turns",
    help:
      "Turns of agents: ready, held by the spot gate, deferred, in flight, leases run out",
    labels: ["state"],
    read: ({ agents }) =>
      agents === undefined ? [] : [
        [agents.ready, "ready"],
        [agents.held, "held"],
        [agents.deferred, "deferred"],
        [agents.inFlight, "in_flight"],
        [agents.expired, "expired"],
      ],
  },
  {
    name: "rootcellar_sessions",
    help: "Sessions by state, without archived ones",
    labels: ["status"],
    read: ({ agents }) =>
      Object.entries(agents?.sessions ?? {})
        .map(([status, count]): Sample => [count, status]),
  },
  {
    name: "rootcellar_silent_turns",
    help: "Turns under way of which nothing is heard",
    labels: [],
    read: ({ silent }) => silent === undefined ? [] : [[silent.length]],
  },
  {
    name: "rootcellar_runners",
    help: "Runners whose token holds: seen lately, or away",
    labels: ["state"],
    read: ({ runners }) => {
      if (runners === undefined) return [];
      const seen = runners.filter(isSeen).length;
      return [[seen, "seen"], [runners.length - seen, "away"]];
    },
  },
  {
    name: "rootcellar_queue_recovery_mode",
    help: "1 while the lanes take no jobs",
    labels: [],
    read: ({ recovery }) =>
      recovery === undefined ? [] : [[recovery === null ? 0 : 1]],
  },
];

/** Adds them. */
export function addFleetStates(
  registers: Registry[],
  services: Pick<Services, "store">,
): void {
  let reading: Promise<FleetHealth | undefined> | undefined;
  const readOnce = () =>
    reading ??= readIfOpen(services).finally(() => {
      reading = undefined;
    });
  for (const { name, help, labels, read } of FIGURES) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers,
      async collect() {
        const fleet = await readOnce();
        this.reset();
        if (labels.length === 0) this.remove();
        for (
          const [value, ...words] of fleet === undefined ? [] : read(fleet)
        ) {
          const named = labels.map((label, at) => [label, words[at] ?? ""]);
          this.set(Object.fromEntries(named), value);
        }
      },
    });
  }
}

async function readIfOpen(
  services: Pick<Services, "store">,
): Promise<FleetHealth | undefined> {
  if (services.store.pool?.() === undefined) return undefined;
  try {
    return await withTimeLimit(LIMIT_MS, () => readFleetHealth(services));
  } catch {
    return undefined;
  }
}
