/**
 * `get_system_health`: the health report, as `GET /api/v1/health` has it.
 *
 * @module
 */
import { type HealthReport, readHealth } from "../../watch/health.ts";
import { inputOf } from "../../schema.ts";
import { HEALTH } from "../../watch/health_shape.ts";
import { defineTool } from "../tool.ts";

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
    "Shows how this server is: status ok or warning, the catalog (state, age, what was left out of it), root data of all namespaces (totals, overdue records, collections near their cap) and memory. A part that cannot be read says so and leaves the rest standing.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    verbose: {
      type: "boolean",
      description:
        `All that the report lists; otherwise ${COMPACT_NAMESPACES} namespaces and ${COMPACT_IGNORED} left-out catalog entries at most, with the number of the others`,
    },
  }),
  output: HEALTH,
  async run({ services }, { verbose }) {
    const report = await readHealth(services);
    return verbose === true ? report : compact(report);
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
