/**
 * Answers of the `scope` verb, as text or JSON.
 *
 * @module
 */

import { type Kind, KINDS, quote } from "../../../cortex/words.ts";
import {
  type Layout,
  type NodeCheck,
  parseKind,
  parseNode,
  type Reading,
  type Scope,
} from "../../../cortex/layout/mod.ts";

/** What to print and how to exit. */
export interface CommandResult {
  /** 0 answered, 1 the answer is no, 2 the command itself is wrong. */
  readonly code: 0 | 1 | 2;
  /** Lines without line ends: to stderr when `code` is 2, else to stdout. */
  readonly lines: readonly string[];
}

/** One kind at the node: where it is written and read, and whether at all. */
interface Place {
  readonly kind: Kind;
  readonly check: NodeCheck;
  readonly scopes: readonly Scope[];
}

/** `scope render`: where each kind at the node is written and read. */
export function answerRender(
  layout: Layout,
  options: { node: string; kind: string | undefined; json: boolean },
): CommandResult {
  const node = parseNode(options.node);
  const kinds = options.kind === undefined ? KINDS : [parseKind(options.kind)];
  const places: Place[] = kinds.map((kind) => ({
    kind,
    check: layout.checkNode(node, kind),
    scopes: layout.scopes(node, kind),
  }));
  const code = places.every((place) => place.check.ok) ? 0 : 1;
  if (options.json) {
    const shown = places.map(({ kind, check, scopes }) => ({
      kind,
      writable: check.ok,
      ...(check.ok ? {} : { code: check.code, reason: check.reason }),
      scopes: scopes.map(({ below, path }) => ({ below, path })),
    }));
    return { code, lines: [JSON.stringify({ node, kinds: shown })] };
  }
  const label = kinds.length > 1;
  return { code, lines: places.flatMap((place) => placeLines(place, label)) };
}

function placeLines(place: Place, label: boolean): readonly string[] {
  const { kind, check, scopes } = place;
  const lead = label ? `${kind}: ` : "";
  return scopes.map(({ below, path }) => {
    if (below === "retired") return `${lead}${path} (retired: read only)`;
    return check.ok ? `${lead}${path}` : `${lead}refused: ${check.reason}`;
  });
}

/** `scope parse`: what the path means, or why it is nobody's. */
export function answerParse(
  layout: Layout,
  path: string,
  json: boolean,
): CommandResult {
  const reading = layout.parse(path);
  const code = reading.ok ? 0 : 1;
  if (json) return { code, lines: [JSON.stringify(reading)] };
  return { code, lines: readingLines(reading, path) };
}

function readingLines(reading: Reading, path: string): readonly string[] {
  if (reading.ok) {
    return [
      `node: ${reading.node}`,
      `kind: ${reading.kind}`,
      `below: ${reading.below === "root" ? "the root" : "the retired root"}`,
      `path: ${reading.path}`,
    ];
  }
  const { reason, offset } = reading;
  const rest = path.slice(offset);
  const where = rest === "" ? "at its end" : `at ${offset}: ${quote(rest)}`;
  return [`nobody's: ${reason}`, where];
}

/** `scope prefixes`: what is listed to find the node's scopes. */
export function answerPrefixes(
  layout: Layout,
  text: string,
  json: boolean,
): CommandResult {
  const node = parseNode(text);
  const list = layout.prefixes(node);
  if (json) {
    return { code: 0, lines: [JSON.stringify({ node, prefixes: list })] };
  }
  const lines = list.map((prefix) =>
    prefix === "" ? "(no prefix: the whole tenant is listed)" : prefix
  );
  return { code: 0, lines };
}
