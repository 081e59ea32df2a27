/**
 * `cost`: what inference cost, from a terminal.
 *
 * @module
 */
import { type CostQuery, MAX_COST_DAYS, readCosts } from "../../fleet/mod.ts";
import type { NamedSums } from "../../store/costs/mod.ts";
import { pricesOf } from "../../mcp/mod.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { print, printJson, table } from "../output.ts";
import { buildParts } from "../app/parts.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

/** Lines of a list. */
const MAX_LINES = 15;

/** The verb. */
export const cost = defineVerb({
  summary:
    "Shows what inference cost, by model, agent root, day and session, at list prices.",
  flags: {
    days: {
      type: "string",
      meaning: `the last so many days, 1 to ${MAX_COST_DAYS}; 7 by default`,
    },
    from: { type: "string", meaning: "first day in UTC, 2026-08-01" },
    to: { type: "string", meaning: "last day in UTC" },
    root: { type: "string", meaning: "only sessions of this root" },
    session: { type: "string", meaning: "only this session, by its id" },
    json: { type: "boolean", meaning: "print JSON" },
  },
  settings: settingsOf(
    "database",
    "catalog",
    "fleet",
    "layout",
    "cortex",
    "log",
  ),
  async run(call, config) {
    const query = queryOf(call);
    await using parts = buildParts(config);
    const { services, fleet } = parts;
    const { table: prices, problem } = await pricesOf(services);
    const costs = await readCosts(fleet, query, prices);
    const notes = [...costs.notes, ...(problem === undefined ? [] : [problem])];
    const { report, window, span } = costs;
    if (call.flags.json === true) {
      printJson({ ...report, window, span, notes, prices: prices.checked_on });
      return 0;
    }
    for (const note of notes) print(`Note: ${note}`);
    print(`${window.from} to ${window.to} (UTC)`);
    if (report.total.requests === 0) {
      print(
        span.first === null
          ? "Nothing is recorded: no agent has reported any use yet"
          : `Nothing is recorded in these days; the ledger reaches from ${span.first} to ${span.last}`,
      );
      return 0;
    }
    print(
      `${dollars(report.total.totalUsd)} in ${report.total.requests} requests`,
    );
    list("MODEL", report.models);
    list("ROOT", report.roots);
    list("DAY", report.days);
    print();
    print(table([
      ["SESSION", "REQUESTS", "USD", "TITLE"],
      ...report.sessions.map((one) => [
        String(one.id),
        String(one.requests),
        dollars(one.totalUsd),
        one.title ?? "(deleted)",
      ]),
    ]));
    print();
    print(
      `List prices, checked on ${prices.checked_on}; not what a subscription bills`,
    );
    return 0;
  },
});

function queryOf(call: Call): CostQuery {
  return {
    days: wholeFlag(call, "days", MAX_COST_DAYS),
    from: textFlag(call, "from"),
    to: textFlag(call, "to"),
    agentRoot: textFlag(call, "root"),
    sessionId: wholeFlag(call, "session", Number.MAX_SAFE_INTEGER),
  };
}

function wholeFlag(call: Call, name: string, most: number): number | undefined {
  const text = textFlag(call, name);
  if (text === undefined) return undefined;
  const value = /^[1-9][0-9]*$/.test(text) ? Number(text) : NaN;
  if (value <= most) return value;
  throw new ConfigError([
    `--${name} must be a whole number from 1 to ${most}: it is "${text}"`,
  ]);
}

function list(head: string, rows: readonly NamedSums[]): void {
  print();
  print(table([
    [head, "REQUESTS", "USD"],
    ...rows.slice(0, MAX_LINES).map(({ name, sums }) => [
      name || "-",
      String(sums.requests),
      dollars(sums.totalUsd),
    ]),
  ]));
  const more = rows.length - MAX_LINES;
  if (more > 0) print(`and ${more} more; --json shows them`);
}

function dollars(value: number): string {
  return value.toFixed(value !== 0 && value < 1 ? 4 : 2);
}
