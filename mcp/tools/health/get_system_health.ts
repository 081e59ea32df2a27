/**
 * `get_system_health`: the health report, as `GET /api/v1/health` has it.
 *
 * @module
 */
import { type HealthReport, readHealth } from "../../watch/health.ts";
import { inputOf } from "../../schema.ts";
import { HEALTH } from "../../watch/health_shape.ts";
import { defineTool, Written } from "../tool.ts";
import { healthText } from "./health_text.ts";

/** Namespaces of a compact report: those with the most bytes. */
const COMPACT_NAMESPACES = 50;
/** Left-out catalog entries of a compact report. */
const COMPACT_IGNORED = 20;

/** The tool. */
export const getSystemHealth = defineTool({
  name: "get_system_health",
  title: "Get system health",
  access: "read",
  description:
    "Shows how this server and its fleet are: queue recovery mode, on and off; lanes of jobs with what waits by class, the age of the first in line, what is in flight and its oldest and youngest execution; turns, leases without events, runners, names (never values) of secrets that resolve; the catalog (state, age, what was left out of it), root data of all namespaces (totals, overdue records, collections near their cap) and memory. A lane that is full and whose youngest execution is old is wedged; ready work that nothing takes is a lane nobody polls; an old execution beside a young one is one slow job. A part that cannot be read says so and leaves the rest standing.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    verbose: {
      type: "boolean",
      description:
        `All that the report lists; otherwise ${COMPACT_NAMESPACES} namespaces and ${COMPACT_IGNORED} left-out catalog entries at most, with the number of the others`,
    },
    include_cli_status: {
      type: "boolean",
      description:
        "Also the agent programs of each runner: version and whether a login was found",
    },
  }),
  output: HEALTH,
  async run({ services }, { verbose, include_cli_status: withCli }) {
    const whole = await readHealth(services, { withCli: withCli === true });
    const report = verbose === true ? whole : compact(whole);
    return new Written(healthText(report), report);
  },
});

function compact(report: HealthReport): HealthReport {
  const { catalog, root_data_health: rootData } = report;
  const ignored = catalog.ignored.slice(0, COMPACT_IGNORED);
  const shortened = { ...report, catalog: { ...catalog, ignored } };
  if (rootData.status === "unavailable") return shortened;
  const namespaces = rootData.namespaces.slice(0, COMPACT_NAMESPACES);
  const cut = rootData.namespaces.length - namespaces.length;
  return {
    ...shortened,
    root_data_health: {
      ...rootData,
      namespaces,
      namespaces_omitted: rootData.namespaces_omitted + cut,
    },
  };
}
