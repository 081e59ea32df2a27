/**
 * The statements of a search, apart from the search itself, so that their plans
 * can be asserted.
 *
 * @module
 */
import {
  type Bind,
  parameters,
  type Statement,
} from "../root_data/statement.ts";
import { DECISION_COLUMNS, type Gate } from "./decision.ts";

/** What narrows a search; all of it must hold. */
export interface DecisionFilter {
  /** The gate. */
  readonly gate?: Gate | undefined;
  /** What it was made about, folded. */
  readonly surface?: string | undefined;
  /** The verdict, exactly. */
  readonly decision?: string | undefined;
  /** The pull request or issue, exactly. */
  readonly artifactUrl?: string | undefined;
  /** A part of the address of the pull request or issue. */
  readonly artifactQuery?: string | undefined;
  /** A part of the entry's text. */
  readonly query?: string | undefined;
  /** Only those that a person said something of. */
  readonly withFeedback?: boolean | undefined;
  /** The first day, `YYYY-MM-DD`. */
  readonly from?: string | undefined;
  /** The last day, `YYYY-MM-DD`. */
  readonly to?: string | undefined;
}

/** Where a page begins: behind a decision. */
export interface Place {
  /** Its day, or `-infinity`. */
  readonly day: string;
  /** Its number. */
  readonly id: string;
}

/** The day by which decisions are put in order; without a date they come last. */
const DAY = "coalesce(d.decided_at, '-infinity'::date)";
const NEWEST = `${DAY} desc, d.id desc`;

/** Decisions that are counted at most. */
export const MAX_COUNTED = 1_000;

/** A page, by the filters that have an index of their own. */
export function pageStatement(
  filter: DecisionFilter,
  { limit, offset = 0, place }: {
    readonly limit: number;
    readonly offset?: number;
    readonly place?: Place | undefined;
  },
): Statement {
  const { params, bind } = parameters();
  const where = conditions(filter, bind, place);
  const text = `
    with page as (
      select d.id from gate_decisions d ${where}
      order by ${NEWEST} limit ${bind(limit, "int")} offset ${
    bind(offset, "int")
  })
    select ${DECISION_COLUMNS} from page join gate_decisions d on d.id = page.id
    order by ${NEWEST}`;
  return { params, text };
}

/** How many there are, counted to {@link MAX_COUNTED} and one. */
export function countStatement(filter: DecisionFilter): Statement {
  const { params, bind } = parameters();
  const where = conditions(filter, bind);
  return {
    params,
    text: `select count(*)::int as total from (
      select from gate_decisions d ${where} limit ${MAX_COUNTED} + 1) counted`,
  };
}

/**
 * Looks for texts in the next so many decisions that the other filters let
 * through. The last row has no decision: how many were looked at, and where
 * the next stretch begins.
 */
export function stretchStatement(
  filter: DecisionFilter,
  { limit, rows, place }: {
    readonly limit: number;
    readonly rows: number;
    readonly place: Place | undefined;
  },
): Statement {
  const { params, bind } = parameters();
  const where = conditions(filter, bind, place);
  const text = `
    with stretch as materialized (
      select d.id, ${DAY} as day from gate_decisions d ${where}
      order by ${NEWEST} limit ${bind(rows, "int")}),
    hits as materialized (
      select d.id from stretch join gate_decisions d on d.id = stretch.id
      where ${texts(filter, bind).join(" and ")}
      order by ${NEWEST} limit ${bind(limit, "int")}),
    ends as (select day::text as day, id::text as id from stretch order by stretch.day, stretch.id limit 1)
    select t.*, h.*
    from (select (select count(*) from stretch)::int as looked_at,
      (select day from ends) as last_day, (select id from ends) as last_id) t
    left join lateral (
      select ${DECISION_COLUMNS} from hits join gate_decisions d on d.id = hits.id) h on true
    order by coalesce(h.day, '-infinity')::date desc, h.id desc`;
  return { params, text };
}

/** Settings under which {@link indexedStatement} has one way to go. */
export const ONLY_TEXT_INDEX: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_indexscan: "off",
  enable_indexonlyscan: "off",
};

/**
 * Finds texts by the index of their parts, all of them at once; how many there
 * are stands in each row.
 */
export function indexedStatement(
  filter: DecisionFilter,
  { limit, offset = 0, place }: {
    readonly limit: number;
    readonly offset?: number;
    readonly place?: Place | undefined;
  },
): Statement {
  const { params, bind } = parameters();
  const narrowed = [...narrowing(filter, bind), ...texts(filter, bind)];
  const behind = place === undefined ? "" : `where ${behindPlace(place, bind)}`;
  const text = `
    with hits as materialized (
      select d.id, d.decided_at from gate_decisions d where ${
    narrowed.join(" and ")
  }),
    page as (
      select d.id from hits d ${behind} order by ${NEWEST}
      limit ${bind(limit, "int")} offset ${bind(offset, "int")})
    select (select count(*) from hits)::int as total, ${DECISION_COLUMNS}
    from page join gate_decisions d on d.id = page.id
    order by ${NEWEST}`;
  return { params, text };
}

function conditions(
  filter: DecisionFilter,
  bind: Bind,
  place?: Place,
): string {
  const all = narrowing(filter, bind);
  if (place !== undefined) all.push(behindPlace(place, bind));
  return all.length === 0 ? "" : `where ${all.join(" and ")}`;
}

function narrowing(filter: DecisionFilter, bind: Bind): string[] {
  const { gate, surface, decision, artifactUrl, from, to } = filter;
  const all: string[] = [];
  if (gate !== undefined) all.push(`d.gate = ${bind(gate, "text")}`);
  if (surface !== undefined) all.push(`d.surface = ${bind(surface, "text")}`);
  if (decision !== undefined) {
    all.push(`d.decision = ${bind(decision, "text")}`);
  }
  if (artifactUrl !== undefined) {
    all.push(`d.artifact_url = ${bind(artifactUrl, "text")}`);
  }
  if (from !== undefined) all.push(`${DAY} >= ${bind(from, "text")}::date`);
  if (to !== undefined) {
    all.push(
      `${DAY} <= ${bind(to, "text")}::date`,
      `${DAY} > '-infinity'::date`,
    );
  }
  if (filter.withFeedback === true) {
    // An array, so that the few that there are lead to their decisions.
    all.push(
      "d.id = any (array(select f.gate_decision_id from gate_decision_feedbacks f))",
    );
  }
  return all;
}

function behindPlace({ day, id }: Place, bind: Bind): string {
  return `(${DAY}, d.id) < (${bind(day, "text")}::date, ${
    bind(id, "text")
  }::bigint)`;
}

/** What is asked of texts. */
function texts(
  { artifactQuery, query }: DecisionFilter,
  bind: Bind,
): string[] {
  const all: string[] = [];
  if (artifactQuery !== undefined) {
    all.push(`d.artifact_url ilike ${bind(partOf(artifactQuery), "text")}`);
  }
  if (query !== undefined) {
    // As it stands in the entry's JSON: a quotation mark there has a backslash.
    const escaped = JSON.stringify(query).slice(1, -1);
    const forms = escaped === query ? [query] : [query, escaped];
    all.push(
      `(${
        forms.map((form) =>
          `d.payload::text ilike ${bind(partOf(form), "text")}`
        ).join(" or ")
      })`,
    );
  }
  return all;
}

/** A pattern of all that holds a text, taken literally. */
function partOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
