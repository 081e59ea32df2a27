/**
 * `/gate_decisions`: the ledger, newest first.
 *
 * @module
 */
import { searchDecisions } from "../../../fleet/mod.ts";
import {
  type DecisionPage,
  feedbackOn,
  type GateDecision,
  type GateFeedback,
  GATES,
} from "../../../store/gate/mod.ts";
import type { Services } from "../../services.ts";
import { figure, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { link, state, table } from "../parts.ts";
import { given, orRefusal, type Query } from "../query.ts";

const PAGE_DECISIONS = 50;
const FIELDS = ["surface", "decision", "query", "from", "to"] as const;

type Filter =
  & { readonly [K in typeof FIELDS[number]]: string | undefined }
  & {
    readonly gate: string | undefined;
    readonly feedback: "1" | undefined;
    readonly cursor: string | undefined;
  };

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function decisionsPage(
  services: Services,
  query: Query,
  now: number,
): Promise<Page> {
  const filter: Filter = {
    gate: given(query.gate),
    surface: given(query.surface),
    decision: given(query.decision),
    query: given(query.query),
    from: given(query.from),
    to: given(query.to),
    feedback: query.feedback === "1" ? "1" : undefined,
    cursor: given(query.cursor),
  };
  return await orRefusal("Gate decisions", form(filter), async () => {
    const { feedback, ...asked } = filter;
    const page = await searchDecisions(services, {
      ...asked,
      withFeedback: feedback === "1",
      limit: PAGE_DECISIONS,
    });
    const db = await services.store.db();
    const said = await feedbackOn(db, page.decisions.map(({ id }) => id));
    return list(page, said, { filter, now });
  });
}

function form(filter: Filter): Html {
  const labels = {
    surface: "Surface",
    decision: "Verdict, exactly",
    query: "Text of the entry",
    from: "From the day",
    to: "To the day",
  };
  const inputs = FIELDS.map((name) => {
    const type = name === "from" || name === "to" ? "date" : "text";
    return markup`
  <div${name === "query" && markup` class="grow"`}>
    <label for="${name}">${labels[name]}</label>
    <input type="${type}" id="${name}" name="${name}" value="${
      filter[name]
    }" dir="auto" autocapitalize="none" spellcheck="false">
  </div>`;
  });
  const gates = GATES.map((gate) =>
    markup`<option value="${gate}"${
      filter.gate === gate && " selected"
    }>${gate}</option>`
  );
  return markup`
<form class="filter" method="get" action="${PATHS.gate}" role="search">
  <div>
    <label for="gate">Gate</label>
    <select id="gate" name="gate"><option value="">any</option>${gates}</select>
  </div>
  ${inputs}
  <div class="check">
    <input type="checkbox" id="feedback" name="feedback" value="1"${
    filter.feedback === "1" && " checked"
  }>
    <label for="feedback">With feedback only</label>
  </div>
  <div class="buttons">
    <button type="submit">Filter</button>
    <a href="${PATHS.gate}">Show all</a>
  </div>
</form>`;
}

function list(
  page: DecisionPage,
  said: readonly GateFeedback[],
  { filter, now }: { readonly filter: Filter; readonly now: number },
): Html {
  const { decisions, next, scan } = page;
  const looked = scan !== undefined && !scan.isComplete &&
    markup`<p class="muted">The newest ${
      figure(scan.lookedAt)
    } decisions were looked through so far.</p>`;
  const onward = next !== undefined &&
    markup`<nav class="paging" aria-label="Paging"><a rel="next" href="${
      link(PATHS.gate, { ...filter, cursor: next })
    }">Next page</a></nav>`;
  if (decisions.length === 0) {
    return markup`<p class="empty">No decision is like that.</p>${looked}${onward}`;
  }
  const columns = [
    { label: "Decision" },
    { label: "Gate and surface" },
    { label: "Verdict" },
    { label: "Day" },
    { label: "Recorded" },
    { label: "Feedback" },
  ];
  const rows = decisions.map((one) => [
    markup`<a href="${PATHS.gate}/${one.id}">${heading(one)}</a>`,
    markup`${one.gate} / ${text(one.surface)}`,
    one.decision === null ? "" : text(one.decision),
    one.decidedAt ?? "",
    time(one.createdAt, now),
    verdicts(said.filter(({ decisionId }) => decisionId === one.id)),
  ]);
  return markup`${table("Gate decisions", columns, rows)}${looked}${onward}`;
}

/** What a decision is called. */
export function heading(one: GateDecision): Html {
  return text(one.title ?? one.artifactUrl ?? `Decision ${one.id}`);
}

function verdicts(said: readonly GateFeedback[]): Html {
  return markup`${
    said.map(({ verdict }) => state(verdict.slice(0, 60), "warn"))
  }`;
}
