/**
 * `/costs`: what inference cost, by day, root, model and session.
 *
 * @module
 */
import {
  type Costs,
  FleetRefusalError,
  readCosts,
} from "../../../fleet/mod.ts";
import type { NamedSums } from "../../../store/costs/mod.ts";
import { pricesOf } from "../../prices.ts";
import type { Services } from "../../services.ts";
import { dollars, figure, text } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { figures, note, panel, table } from "../parts.ts";
import { type Bar, lyingBars, standingBars } from "./bars.ts";
import { given, type Query } from "../query.ts";

const DEFAULT_DAYS = 30;
const NOTHING = markup``;

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function costsPage(
  services: Services,
  query: Query,
): Promise<Page> {
  const filter = {
    from: given(query.from),
    to: given(query.to),
    agentRoot: given(query.agent_root),
    days: DEFAULT_DAYS,
  };
  const fields = form(filter);
  const { table: prices, problem } = await pricesOf(services);
  try {
    const costs = await readCosts(services, filter, prices);
    const notes = [...costs.notes, ...(problem === undefined ? [] : [problem])];
    return {
      title: "Costs",
      body: markup`${fields}${notes.map((one) => note("warn", `${one}.`))}${
        report(costs)
      }`,
    };
  } catch (error) {
    if (!(error instanceof FleetRefusalError)) throw error;
    return {
      title: "Costs",
      status: 400,
      body: markup`${fields}<div role="alert">${
        note("bad", markup`${text(error.message)}.`)
      }</div>`,
    };
  }
}

function form(filter: {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly agentRoot: string | undefined;
}): Html {
  return markup`
<form class="filter" method="get" action="${PATHS.costs}" role="search">
  <div><label for="from">From the day</label>
    <input type="date" id="from" name="from" value="${filter.from}"></div>
  <div><label for="to">To the day</label>
    <input type="date" id="to" name="to" value="${filter.to}"></div>
  <div class="grow"><label for="agent_root">Agent root</label>
    <input id="agent_root" name="agent_root" value="${filter.agentRoot}" autocapitalize="none" spellcheck="false"></div>
  <div class="buttons"><button type="submit">Show</button> <a href="${PATHS.costs}">The last ${DEFAULT_DAYS} days</a></div>
</form>`;
}

function report(
  { report, span, window, table: prices, prices: by }: Costs,
): Html {
  if (report.total.requests === 0) {
    return markup`<p class="empty">Nothing is recorded from ${window.from} to ${window.to}. ${
      span.first === null
        ? "No agent has reported any use yet."
        : `The ledger reaches from ${span.first} to ${span.last}.`
    }</p>`;
  }
  const { total } = report;
  return markup`
${
    figures([
      ["From", window.from],
      ["To", window.to],
      ["List price", dollars(total.totalUsd)],
      ["Requests", figure(total.requests)],
    ])
  }
<div class="columns"><div>
${
    panel("models", "Models", NOTHING, [
      lyingBars(barsOf(report.models)),
      sums("Models", report.models, (name) => {
        const price = by.get(name);
        return markup`${text(name)}${
          price?.kind === "family" && ` (family rate, as ${price.like})`
        }${(price?.kind ?? "none") === "none" && " (no price)"}`;
      }),
    ])
  }
${
    panel("sessions", "Dearest sessions", NOTHING, [
      table(
        "Sessions",
        [
          { label: "Session" },
          { label: "Requests", isFigure: true },
          { label: "List price", isFigure: true },
        ],
        report.sessions.map((one) => [
          one.title === null
            ? markup`#${one.id} (deleted)`
            : markup`<a href="${PATHS.sessions}/${one.id}">#${one.id} ${
              text(one.title)
            }</a>`,
          figure(one.requests),
          dollars(one.totalUsd),
        ]),
      ),
    ])
  }
</div><div>
${
    panel("roots", "Agent roots", NOTHING, [
      lyingBars(barsOf(report.roots)),
      sums("Agent roots", report.roots, (name) => text(name || "(no root)")),
    ])
  }
${
    panel("days", "Days", NOTHING, [
      standingBars(barsOf(report.days)),
      sums("Days", report.days.toReversed(), (name) => text(name)),
    ])
  }
</div></div>
<p class="muted">List prices, checked on ${prices.checked_on}: a measure that models can be compared by, and not what a subscription bills. ${
    window.from < (span.first ?? "")
      ? `The ledger begins on ${span.first}, within these days.`
      : ""
  }</p>`;
}

function sums(
  label: string,
  rows: readonly NamedSums[],
  name: (name: string) => Html,
): Html {
  return table(
    `${label} with what they cost`,
    [
      { label },
      { label: "Requests", isFigure: true },
      { label: "List price", isFigure: true },
    ],
    rows.map((one) => [
      name(one.name),
      figure(one.sums.requests),
      dollars(one.sums.totalUsd),
    ]),
  );
}

function barsOf(rows: readonly NamedSums[]): readonly Bar[] {
  return rows.map(({ name, sums }) => ({
    label: `${name}: ${dollars(sums.totalUsd)}`,
    value: sums.totalUsd,
  }));
}
