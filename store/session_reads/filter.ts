/**
 * Which sessions a search means, as SQL with its parameters.
 *
 * A condition that is not asked for is not in the statement, so that the
 * database chooses the index of those that are.
 *
 * @module
 */
import type {
  Genesis,
  SchedulingClass,
  SessionStatus,
} from "../sessions/words.ts";
import { IS_ON_BOARD } from "./listed.ts";

/** Which sessions a search means. */
export interface SessionSearch {
  /** This one only. */
  readonly id?: number | undefined;
  /** States; without any: all but archived ones. */
  readonly statuses?: readonly SessionStatus[] | undefined;
  /** Archived ones too, where no states are named. */
  readonly includeArchived?: boolean | undefined;
  /** The agent that runs it. */
  readonly agentRuntime?: string | undefined;
  /** What caused it. */
  readonly genesis?: Genesis | undefined;
  /** Sessions of this class: their own, or that of these geneses. */
  readonly schedulingClass?: {
    readonly name: SchedulingClass;
    readonly geneses: readonly Genesis[];
  } | undefined;
  /** Whether the card is on the board now. */
  readonly isOnBoard?: boolean | undefined;
  /** Only these roots, and the caller's own session. */
  readonly fence?: {
    readonly rootKeys: readonly string[];
    readonly sessionId: number | null;
  } | undefined;
}

/** SQL, and what its numbers stand for. */
export class Statement {
  readonly #params: unknown[] = [];

  /** Parameters so far. */
  get params(): readonly unknown[] {
    return this.#params;
  }

  /** Adds a parameter; answers with its number in SQL. */
  add(value: unknown): string {
    this.#params.push(value);
    return `$${this.#params.length}`;
  }
}

/** The conditions of a search on `sessions s`, joined by `and`. */
export function conditionsOf(
  search: SessionSearch,
  statement: Statement,
): string {
  const { statuses, agentRuntime, genesis, schedulingClass, fence } = search;
  const found: string[] = [];
  const [only, ...others] = statuses ?? [];
  if (only !== undefined && others.length === 0) {
    found.push(`s.status = ${statement.add(only)}`);
  } else if (only !== undefined) {
    found.push(
      `s.status in (select jsonb_array_elements_text(${
        statement.add(JSON.stringify(statuses))
      }::text::jsonb))`,
    );
  } else if (search.includeArchived !== true) {
    found.push("s.status <> 'archived'");
  }
  if (search.id !== undefined) found.push(`s.id = ${statement.add(search.id)}`);
  if (agentRuntime !== undefined) {
    found.push(`s.agent_runtime = ${statement.add(agentRuntime)}`);
  }
  if (genesis !== undefined) {
    found.push(`s.genesis = ${statement.add(genesis)}`);
  }
  if (schedulingClass !== undefined) {
    found.push(
      `s.class_source in (select jsonb_array_elements_text(${
        statement.add(kindsOf(schedulingClass))
      }::text::jsonb))`,
    );
  }
  if (search.isOnBoard === true) found.push(IS_ON_BOARD);
  if (search.isOnBoard === false) {
    found.push(`s.visibility <> 'visible' and not ${IS_ON_BOARD}`);
  }
  if (fence !== undefined) {
    const keys = statement.add(JSON.stringify(fence.rootKeys));
    found.push(
      `(s.agent_root_key = any (array(select jsonb_array_elements_text(${keys}::text::jsonb))) or s.id = ${
        statement.add(fence.sessionId ?? 0)
      })`,
    );
  }
  return found.length === 0 ? "true" : found.join("\n  and ");
}

/** Orders of a list. */
export type SessionOrder = "created_desc" | "precedence";

/** The same in SQL. */
export const ORDERS: Readonly<Record<SessionOrder, string>> = {
  created_desc: "s.created_at desc, s.id desc",
  precedence: "s.precedence desc, s.created_at, s.id",
};

/**
 * The rows of a search, as a `from` with its `where`. Live sessions of a class,
 * newest first, are taken kind by kind, each from its place in the index, `most`
 * of each: of a class that few sessions have, they would be looked for among all.
 */
export function rowsOf(
  search: SessionSearch,
  statement: Statement,
  { text, order, most }: {
    readonly text: string | undefined;
    readonly order: SessionOrder;
    readonly most: number;
  },
): string {
  const { schedulingClass } = search;
  const isByKind = schedulingClass !== undefined && isLive(search) &&
    order === "created_desc";
  const where = [
    conditionsOf(
      isByKind ? { ...search, schedulingClass: undefined } : search,
      statement,
    ),
    ...(text === undefined ? [] : [`(${textCondition(text, statement)})`]),
  ].join("\n  and ");
  if (!isByKind) return `sessions s where ${where}`;
  return `jsonb_array_elements_text(${
    statement.add(kindsOf(schedulingClass))
  }::text::jsonb) as kind (name)
     cross join lateral (
       select * from sessions s where s.class_source = kind.name and ${where}
       order by ${ORDERS[order]} limit ${statement.add(most)}::int) s`;
}

/** Whether archived sessions are no part of it. */
function isLive({ statuses, includeArchived }: SessionSearch): boolean {
  return statuses === undefined && includeArchived !== true;
}

function kindsOf(
  { name, geneses }: NonNullable<SessionSearch["schedulingClass"]>,
): string {
  return JSON.stringify([name, ...geneses]);
}

/** What the index on texts is built of; the same words, or it is not used. */
const SEARCHED =
  `lower(s.title || E'\\n' || s.metadata::text || E'\\n' || s.custom_metadata::text)`;

/** The condition that title or metadata hold a text, whatever its case. */
export function textCondition(text: string, statement: Statement): string {
  return alternatives(text).map((one) =>
    `${SEARCHED} like lower(${statement.add(patternOf(one))})`
  ).join(" or ");
}

/** Patterns of texts that hold this one in any spelling, as a JSON list. */
export function patternsOf(text: string): string {
  return JSON.stringify(spellings(text).map(patternOf));
}

/** A `like` pattern of texts that hold this one, whatever signs it has. */
function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/**
 * The text, and how PostgreSQL spells it where it is JSON: it puts one blank
 * behind a colon and a comma, whoever wrote it.
 */
function alternatives(text: string): readonly string[] {
  const canonical = text.replace(/"\s*:\s*/g, '": ')
    .replace(/\s*,\s*(?=["[{])/g, ", ");
  return [...new Set([...spellings(text), ...spellings(canonical)])];
}

/** The code points that look like this text: é is one or two, as it was typed. */
function spellings(text: string): readonly string[] {
  return [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}
