/**
 * An answer in Markdown: the one way in which tools make one.
 *
 * Lines come as {@link Inline}. Text of several lines stands in a quotation,
 * each of its lines behind `> `, so that whoever reads knows whose words they
 * are; data stands in a fence that it cannot close.
 *
 * @module
 */
import { countCharacters } from "../render.ts";
import {
  grouped,
  type Inline,
  md,
  type Part,
  withoutUnseen,
} from "./inline.ts";

/** Everything that ends a line somewhere. */
const LINE_END_REGEXP = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** Line ends that JSON leaves as they are. */
const JSON_LINE_ENDS_REGEXP = /[\u0085\u2028\u2029]/gu;

/** How a quotation is cut. */
export interface Cut {
  /** Characters at most. */
  readonly limit: number;
  /** How the whole is had, as the end of a sentence. */
  readonly whole: string;
}

/** Markdown that grows by blocks. */
export class Markdown {
  readonly #lines: string[] = [];
  /** What stands last, which decides whether a blank line has to follow. */
  #last: "none" | "line" | "item" | "block" = "none";

  /** A heading of level 2 or 3. */
  heading(level: 2 | 3, line: Inline): this {
    this.#begin("block");
    this.#lines.push(`${"#".repeat(level)} ${shown(line)}`);
    return this;
  }

  /** A paragraph of one line. */
  line(line: Inline): this {
    this.#begin("line");
    this.#lines.push(shown(line));
    return this;
  }

  /** A bullet; `depth` 1 stands below one of 0. */
  item(line: Inline, depth = 0): this {
    this.#begin("item");
    this.#lines.push(`${"  ".repeat(depth)}- ${shown(line)}`);
    return this;
  }

  /** A bullet with a label. */
  field(label: string, value: Part, depth = 0): this {
    return this.item(md`**${label}:** ${value}`, depth);
  }

  /** A heading of level 3 with bullets, without blank lines: rows of a list. */
  entry(heading: Inline, items: readonly Inline[]): this {
    this.#begin("item");
    this.#lines.push(
      `### ${shown(heading)}`,
      ...items.map((item) => `- ${shown(item)}`),
    );
    return this;
  }

  /** Others' words, whole. With `depth` they belong to a bullet. */
  quote(text: string, depth = 0): this {
    const indent = "  ".repeat(depth);
    this.#begin("block");
    for (const line of withoutUnseen(text).split(LINE_END_REGEXP)) {
      this.#lines.push(`${indent}>${line === "" ? "" : ` ${line}`}`);
    }
    return this;
  }

  /** Others' words, cut where they are long; a cut is told behind them. */
  quoteUpTo(text: string, { limit, whole }: Cut, depth = 0): this {
    const beginning = [...text.slice(0, 2 * limit)].slice(0, limit).join("");
    this.quote(beginning, depth);
    if (beginning.length === text.length) return this;
    this.#begin("block");
    this.#lines.push(
      `${"  ".repeat(depth)}_(cut: ${grouped(countCharacters(beginning))} of ${
        grouped(countCharacters(text))
      } characters; ${whole})_`,
    );
    return this;
  }

  /** Data as JSON. */
  json(value: unknown): this {
    const text = withoutUnseen(JSON.stringify(value, undefined, 2)).replace(
      JSON_LINE_ENDS_REGEXP,
      (character) =>
        `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const runs = text.match(/`+/g) ?? [];
    const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
    this.#begin("block");
    this.#lines.push(`${fence}json`, ...text.split("\n"), fence);
    return this;
  }

  /** Another answer behind this one. */
  append(other: Markdown): this {
    if (other.#last === "none") return this;
    this.#begin("block");
    this.#lines.push(...other.#lines);
    this.#last = other.#last;
    return this;
  }

  /** The whole. */
  get text(): string {
    return this.#lines.join("\n");
  }

  /**
   * Blocks are parted by a blank line: without it, a line behind a quotation
   * would belong to it.
   */
  #begin(kind: "line" | "item" | "block"): void {
    const isList = kind === "item" && this.#last === "item";
    if (this.#last !== "none" && !isList) this.#lines.push("");
    this.#last = kind;
  }
}

/** A receipt: what was done, and its facts. */
export function receipt(
  heading: Inline,
  fields: readonly (readonly [label: string, value: Part | undefined])[],
): Markdown {
  const answer = new Markdown().heading(2, heading);
  for (const [label, value] of fields) {
    if (value !== undefined) answer.field(label, value);
  }
  return answer;
}

/**
 * A line is never empty, and begins with no blank: what follows a bullet stands
 * as deep as its first character.
 */
function shown({ text }: Inline): string {
  return text.trim() || "(blank)";
}
