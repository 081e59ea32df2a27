/**
 * Costs as text.
 *
 * @module
 */
import type { Costs } from "../../../fleet/mod.ts";
import type { CostSums } from "../../../store/costs/mod.ts";
import { Markdown } from "../../markdown/document.ts";
import { grouped, Inline, md, preview } from "../../markdown/inline.ts";
import { unpricedModels } from "./costs_shape.ts";

/** Lines of a section; the others are summed up. */
const MAX_LINES = 20;

/** The report. */
export function costsText(costs: Costs, notes: readonly string[]): string {
  const { window, report } = costs;
  const answer = new Markdown();
  const scope = window.sessionId !== undefined
    ? md`session ${window.sessionId}`
    : window.agentRoot !== undefined
    ? md`root ${window.agentRoot}`
    : md`all sessions`;
  answer.heading(
    2,
    md`Costs of ${scope}, ${window.from} to ${window.to} (UTC)`,
  );
  for (const note of notes) answer.line(md`Note: ${note}.`);
  if (report.total.requests === 0) {
    return answer.line(emptyLine(costs)).text;
  }
  const { total } = report;
  answer.field("Total", dollars(total.totalUsd))
    .field("Requests", plain(total.requests))
    .field(
      "Tokens",
      md`${plain(total.tokens.input)} read, ${
        plain(total.tokens.output)
      } written, ${plain(total.tokens.cacheRead)} from the cache, ${
        plain(total.tokens.cacheWrite5m + total.tokens.cacheWrite1h)
      } to it`,
    )
    .field("As agents report it", dollars(total.reportedUsd));
  writeKinds(answer, total);
  section(answer, "By agent root", report.roots, (name) => name || "(no root)");
  section(answer, "By model", report.models, (name) => {
    const price = costs.prices.get(name);
    if (price?.kind === "family") {
      return md`${name} (family rate, as ${price.like ?? ""})`;
    }
    return price?.kind === "exact" ? name : md`${name} (no price)`;
  });
  section(answer, "By thread", report.threads, (name) => name);
  answer.heading(3, md`Ad hoc`).line(
    report.adHoc === undefined
      ? md`Nothing was used outside of sessions.`
      : md`${dollars(report.adHoc.totalUsd)} in ${
        plain(report.adHoc.requests)
      } requests outside of sessions.`,
  );
  writeCoverage(answer, costs);
  answer.heading(3, md`Features`).line(
    md`No agent tells its requests apart by feature, so all of it is residual.`,
  );
  section(answer, "By day", report.days, (name) => name, 366);
  answer.heading(3, md`Dearest sessions`);
  for (const one of report.sessions) {
    answer.item(
      md`${one.id} ${preview(one.title ?? "(deleted)", 100)}: ${
        dollars(one.totalUsd)
      } in ${plain(one.requests)} requests`,
    );
  }
  writePrices(answer, costs);
  return answer.text;
}

function emptyLine({ window, span }: Costs): Inline {
  if (span.first === null) {
    return md`Nothing is recorded: no agent has reported any use yet.`;
  }
  const isScoped = window.sessionId !== undefined ||
    window.agentRoot !== undefined;
  const reach = md`The ledger reaches from ${span.first} to ${span.last ?? ""}`;
  return isScoped
    ? md`Nothing is recorded for it in these days. ${reach}; another root, session or window may have something.`
    : md`Nothing is recorded in these days. ${reach}.`;
}

function writeKinds(answer: Markdown, { usd }: CostSums): void {
  answer.heading(3, md`By kind`);
  const kinds = [
    ["Input", usd.input],
    ["Output", usd.output],
    ["Cache read", usd.cacheRead],
    ["Cache write, 5 minutes", usd.cacheWrite5m],
    ["Cache write, 1 hour or not told apart", usd.cacheWrite1h],
    ["Web search", usd.webSearch],
  ] as const;
  for (const [name, value] of kinds) answer.field(name, dollars(value));
}

function section(
  answer: Markdown,
  title: string,
  rows: readonly { readonly name: string; readonly sums: CostSums }[],
  label: (name: string) => string | Inline,
  limit = MAX_LINES,
): void {
  answer.heading(3, md`${title}`);
  for (const { name, sums } of rows.slice(0, limit)) {
    answer.item(
      md`${label(name)}: ${dollars(sums.totalUsd)} in ${
        plain(sums.requests)
      } requests`,
    );
  }
  const rest = rows.slice(limit);
  if (rest.length === 0) return;
  const usd = rest.reduce((sum, { sums }) => sum + sums.totalUsd, 0);
  answer.item(
    md`${rest.length} more: ${
      dollars(usd)
    }; the data of this answer lists them`,
  );
}

function writeCoverage(
  answer: Markdown,
  { report, span, window }: Costs,
): void {
  answer.heading(3, md`Coverage`);
  const begins = span.first ?? "";
  answer.line(
    window.from < begins
      ? md`Partial history: the ledger begins on ${begins}, within this window.`
      : md`The ledger covers this window: it begins on ${begins}.`,
  );
  const { partialRequests } = report.total;
  answer.line(
    partialRequests === 0
      ? md`Every request here was reported whole. Agents that report nothing are not in it.`
      : md`${
        plain(partialRequests)
      } of these requests may leave something out, by their agents' own word. Agents that report nothing are not in it.`,
  );
}

function writePrices(answer: Markdown, costs: Costs): void {
  const unpriced = unpricedModels(costs);
  answer.heading(3, md`Prices`);
  answer.line(
    unpriced.length === 0
      ? md`Every model here has a price.`
      : md`Without a price, counted as 0: ${
        preview(unpriced.join(", "), 500)
      }.`,
  );
  answer.line(
    md`List prices, checked on ${costs.table.checked_on}: a measure that models can be compared by, and not what a subscription bills.`,
  );
}

function dollars(value: number): Inline {
  const digits = value !== 0 && value < 1 ? 4 : 2;
  const [whole = "0", part = "00"] = value.toFixed(digits).split(".");
  return new Inline(`$${grouped(Number(whole))}.${part}`);
}

function plain(value: number): Inline {
  return new Inline(grouped(value));
}
