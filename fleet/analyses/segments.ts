/**
 * The tree of segments that an analysis of a transcript consists of: each is a
 * trigger, a goal and an outcome, and holds the segments within it.
 *
 * What the server does not know is left out and named; what is wrong is listed,
 * all of it, and the tree is not taken.
 *
 * @module
 */

const TRIGGER_KINDS = ["New", "Correction"] as const;
const TRIGGER_SOURCES = ["user", "agent", "subagent"] as const;
const GOAL_KINDS = ["Plan", "Action"] as const;
const OUTCOME_KINDS = ["Success", "Failure"] as const;

const MAX_DEPTH = 32;
const MAX_SEGMENTS = 5_000;
const MAX_GOAL = 500;
const MAX_EXPLANATION = 140;
const MAX_MODEL = 200;
/** Problems that are listed. */
const MAX_PROBLEMS = 50;

/** A segment, with nothing in it but what is known. */
export interface Segment {
  /** Where it stands: `S0`, and `S0.1.2` for the third of the second of it. */
  readonly id: string;
  /** What set it off. */
  readonly trigger: {
    readonly kind: typeof TRIGGER_KINDS[number];
    readonly source: typeof TRIGGER_SOURCES[number];
  };
  /** What was to be reached. */
  readonly goal: {
    readonly text: string;
    readonly kind: typeof GOAL_KINDS[number];
  };
  /** What came of it, taken by itself. */
  readonly outcome: {
    readonly kind: typeof OUTCOME_KINDS[number];
    readonly explanation: string;
  };
  /** Its figures, as far as they are known. */
  readonly meta?: SegmentMeta;
  /** Segments within it, in order. */
  readonly children: readonly Segment[];
}

/** Figures of a segment. */
export interface SegmentMeta {
  /** First and last event. */
  readonly event_range?: readonly [string, string];
  /** How long it took, in seconds. */
  readonly wall_clock_s?: number;
  /** Tokens that were read. */
  readonly tokens_in?: number;
  /** Tokens that were written. */
  readonly tokens_out?: number;
  /** The model. */
  readonly model?: string;
}

/** What a tree comes to. */
export interface SegmentTree {
  /** It. */
  readonly root: Segment;
  /** All segments. */
  readonly segments: number;
  /** Those that failed. */
  readonly failures: number;
  /** Levels, 1 for the root alone. */
  readonly depth: number;
  /** Names that were left out. */
  readonly dropped: readonly string[];
}

/** What is wrong with one. */
export interface SegmentProblems {
  /** One sentence each, at most 50. */
  readonly problems: readonly string[];
  /** How many there are. */
  readonly total: number;
}

/** Reads a tree; never throws. */
export function readSegments(value: unknown): SegmentTree | SegmentProblems {
  const reader = new Reader();
  const root = reader.read(value, "S0", 1, true);
  if (reader.total > 0 || root === undefined) {
    return { problems: reader.problems, total: reader.total };
  }
  return {
    root,
    segments: reader.segments,
    failures: reader.failures,
    depth: reader.depth,
    dropped: [...reader.dropped],
  };
}

type Fields = Readonly<Record<string, unknown>>;

class Reader {
  readonly problems: string[] = [];
  readonly dropped = new Set<string>();
  total = 0;
  segments = 0;
  failures = 0;
  depth = 0;

  read(
    value: unknown,
    id: string,
    depth: number,
    isFirst: boolean,
  ): Segment | undefined {
    this.segments++;
    if (this.segments === MAX_SEGMENTS + 1) {
      this.#wrong(`The tree has more than ${MAX_SEGMENTS} segments`);
    }
    if (this.segments > MAX_SEGMENTS) return undefined;
    if (depth > MAX_DEPTH) {
      this.#wrong(`${id} lies deeper than ${MAX_DEPTH} levels`);
      return undefined;
    }
    this.depth = Math.max(this.depth, depth);
    if (!isObject(value)) {
      this.#wrong(`${id} is no object`);
      return undefined;
    }
    this.#known(value, [
      "id",
      "trigger",
      "goal",
      "outcome",
      "meta",
      "children",
    ]);
    if (value.id !== id) {
      this.#wrong(`${id}: id is ${show(value.id)}; by its place it is "${id}"`);
    }
    const trigger = this.#trigger(value.trigger, id, isFirst);
    const goal = this.#goal(value.goal, id);
    const outcome = this.#outcome(value.outcome, id);
    const meta = this.#meta(value.meta, id);
    const children = this.#children(value.children, id, depth);
    if (
      trigger === undefined || goal === undefined || outcome === undefined ||
      children === undefined
    ) return undefined;
    if (outcome.kind === "Failure") this.failures++;
    return {
      id,
      trigger,
      goal,
      outcome,
      ...(meta === undefined ? {} : { meta }),
      children,
    };
  }

  #trigger(
    value: unknown,
    id: string,
    isFirst: boolean,
  ): Segment["trigger"] | undefined {
    const fields = this.#part(value, id, "trigger", ["kind", "source"]);
    if (fields === undefined) return undefined;
    const kind = this.#word(fields.kind, `${id}: trigger.kind`, TRIGGER_KINDS);
    const source = this.#word(
      fields.source,
      `${id}: trigger.source`,
      TRIGGER_SOURCES,
    );
    if (kind === "Correction" && isFirst) {
      this.#wrong(
        `${id}: trigger.kind is Correction, but nothing came before it that it could correct`,
      );
    }
    return kind === undefined || source === undefined
      ? undefined
      : { kind, source };
  }

  #goal(value: unknown, id: string): Segment["goal"] | undefined {
    const fields = this.#part(value, id, "goal", ["text", "kind"]);
    if (fields === undefined) return undefined;
    const text = this.#text(fields.text, `${id}: goal.text`, MAX_GOAL);
    const kind = this.#word(fields.kind, `${id}: goal.kind`, GOAL_KINDS);
    return text === undefined || kind === undefined
      ? undefined
      : { text, kind };
  }

  #outcome(value: unknown, id: string): Segment["outcome"] | undefined {
    const fields = this.#part(value, id, "outcome", ["kind", "explanation"]);
    if (fields === undefined) return undefined;
    const kind = this.#word(fields.kind, `${id}: outcome.kind`, OUTCOME_KINDS);
    const explanation = this.#text(
      fields.explanation,
      `${id}: outcome.explanation`,
      MAX_EXPLANATION,
    );
    return kind === undefined || explanation === undefined
      ? undefined
      : { kind, explanation };
  }

  #meta(value: unknown, id: string): SegmentMeta | undefined {
    if (value === undefined || value === null) return undefined;
    const fields = this.#part(value, id, "meta", [
      "event_range",
      "wall_clock_s",
      "tokens_in",
      "tokens_out",
      "model",
    ]);
    if (fields === undefined) return undefined;
    const meta: Record<string, unknown> = {};
    for (const name of ["wall_clock_s", "tokens_in", "tokens_out"]) {
      const figure = fields[name];
      if (figure === undefined || figure === null) continue;
      if (typeof figure === "number" && figure >= 0) meta[name] = figure;
      else this.#wrong(`${id}: meta.${name} is no number from 0`);
    }
    if (fields.model !== undefined && fields.model !== null) {
      meta.model = this.#text(fields.model, `${id}: meta.model`, MAX_MODEL);
    }
    const range = fields.event_range;
    if (range !== undefined && range !== null) {
      const isPair = Array.isArray(range) && range.length === 2 &&
        range.every((one) =>
          typeof one === "string" && one.length <= MAX_MODEL
        );
      if (isPair) meta.event_range = range;
      else this.#wrong(`${id}: meta.event_range is no pair of texts`);
    }
    return meta as SegmentMeta;
  }

  #children(
    value: unknown,
    id: string,
    depth: number,
  ): readonly Segment[] | undefined {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) {
      this.#wrong(`${id}: children is no list`);
      return undefined;
    }
    const children: Segment[] = [];
    for (const [index, child] of value.entries()) {
      // What is beyond the limit is not walked, however much it is.
      if (this.segments > MAX_SEGMENTS) break;
      const read = this.read(child, `${id}.${index}`, depth + 1, index === 0);
      if (read !== undefined) children.push(read);
    }
    return children.length === value.length ? children : undefined;
  }

  #part(
    value: unknown,
    id: string,
    name: string,
    known: readonly string[],
  ): Fields | undefined {
    if (isObject(value)) {
      this.#known(value, known, `${name}.`);
      return value;
    }
    this.#wrong(`${id}: ${name} is ${show(value)}, and has to be an object`);
    return undefined;
  }

  #known(value: Fields, known: readonly string[], prefix = ""): void {
    for (const name of Object.keys(value)) {
      if (!known.includes(name) && this.dropped.size < MAX_PROBLEMS) {
        this.dropped.add(`${prefix}${name}`.slice(0, 100));
      }
    }
  }

  #word<W extends string>(
    value: unknown,
    what: string,
    words: readonly W[],
  ): W | undefined {
    const found = words.find((word) => word === value);
    if (found === undefined) {
      this.#wrong(
        `${what} is ${show(value)}; it is one of ${words.join(", ")}`,
      );
    }
    return found;
  }

  #text(value: unknown, what: string, limit: number): string | undefined {
    const text = typeof value === "string" ? value.trim() : "";
    const characters = text.length > 2 * limit ? text.length : [...text].length;
    if (text !== "" && characters <= limit && !text.includes("\u0000")) {
      return text.toWellFormed();
    }
    this.#wrong(
      text === ""
        ? `${what} is missing: 1 to ${limit} characters`
        : characters > limit
        ? `${what} has ${characters} characters; the most is ${limit}`
        : `${what} holds the NUL character`,
    );
    return undefined;
  }

  #wrong(problem: string): void {
    this.total++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value) ?? "unreadable";
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
