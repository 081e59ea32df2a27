/**
 * A page of decisions as text.
 *
 * @module
 */
import type { DecisionPage, LedgerTotals } from "../../../store/gate/mod.ts";
import { Markdown } from "../../markdown/document.ts";
import { Inline, joined, md, preview } from "../../markdown/inline.ts";
import type { FoundDecision } from "./search_page.ts";
import { writeDecision } from "./shapes.ts";

/** What an answer is about. */
interface PageContext {
  /** What was asked for. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** Decisions that were skipped; undefined behind a cursor. */
  readonly offset: number | undefined;
  /** How much there is, where nothing was found. */
  readonly ledger: LedgerTotals | undefined;
}

/** Arguments that narrow; the others say how to show it. */
const NARROWING = [
  "gate",
  "surface",
  "decision",
  "artifact_url",
  "artifact_query",
  "query",
  "with_human_feedback",
  "from",
  "to",
];

/** The page. */
export function pageText(
  page: DecisionPage,
  found: readonly FoundDecision[],
  context: PageContext,
): string {
  const filters = filtersLine(context.asked, NARROWING);
  const answer = new Markdown();
  if (found.length === 0) {
    const { decisions = 0 } = context.ledger ?? {};
    answer.line(
      page.scan?.isComplete === false
        ? md`Nothing was found yet for ${filters}.`
        : md`No gate decisions match ${filters}.`,
    );
    writeScan(answer, page);
    answer.line(
      md`The ledger holds ${decisions} ${
        decisions === 1 ? "decision" : "decisions"
      } in all. decision and artifact_url match exactly; artifact_query takes a part of the address, query a part of the entry.`,
    );
    writeNext(answer, page, context, 0);
    return answer.text;
  }
  const from = context.offset ? md` from ${context.offset}` : md``;
  answer.heading(2, md`Gate decisions`).line(
    md`${
      totalText(page)
    } for ${filters}; ${found.length} shown${from}, newest first.`,
  );
  for (const one of found) writeFound(answer, one);
  writeScan(answer, page);
  writeNext(answer, page, context, found.length);
  return answer.text;
}

function totalText({ total, isFloor }: DecisionPage): string {
  if (total === undefined) return "Decisions";
  if (isFloor) return `More than ${total} decisions`;
  return total === 1 ? "1 decision" : `${total} decisions`;
}

function writeFound(
  answer: Markdown,
  { decision, feedback, payload, isPayloadCut }: FoundDecision,
): void {
  writeDecision(answer, decision, feedback);
  if (payload !== undefined) answer.json(payload);
  if (isPayloadCut) {
    answer.line(
      md`Its entry of ${decision.payloadBytes} bytes does not fit beside the others: ask for fewer, or read GET /api/v1/gate_decisions/${decision.id}.`,
    );
  }
}

function writeScan(answer: Markdown, { scan }: DecisionPage): void {
  if (scan === undefined) return;
  answer.line(
    scan.isComplete
      ? md`All ${scan.lookedAt} decisions were looked through.`
      : md`Not all were looked through: the newest ${scan.lookedAt} so far. What is missing here may still be there.`,
  );
}

function writeNext(
  answer: Markdown,
  { next, scan }: DecisionPage,
  { offset }: PageContext,
  shown: number,
): void {
  if (next === undefined) return;
  const byOffset = offset !== undefined && scan === undefined
    ? md`offset=${offset + shown} or `
    : md``;
  answer.line(
    md`There may be more: pass ${byOffset}cursor=${new Inline(next)}`,
  );
}

/** What a search was narrowed by. */
export function filtersLine(
  asked: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Inline {
  const filters = names.filter((name) => asked[name] !== undefined)
    .map((name) => md`${name}=${preview(String(asked[name]), 100)}`);
  return filters.length === 0 ? md`no filter` : joined(filters, ", ");
}
