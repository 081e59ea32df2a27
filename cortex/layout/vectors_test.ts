import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { knownScopes, listPrefixes } from "./discovery.ts";
import { CortexConfigError, ScopeSyntaxError } from "../errors.ts";
import { Layout } from "./layouts.ts";
import { lineage, parseNode } from "./node.ts";
import { admits, exactly, type Reach, subtree, upFrom } from "./reach.ts";
import { parseKind, type RootPath } from "./scope.ts";
import type { Kind } from "../words.ts";
import { type EngineSettings, readEngineSettings } from "../settings.ts";

/** A golden vector; which fields are there depends on `op`. */
interface Vector {
  readonly id: string;
  readonly op: string;
  readonly ambiguous: boolean;
  readonly wire: "direct" | "hosted";
  readonly layout: string;
  readonly root: string | null;
  readonly tenantRoot: boolean;
  readonly retired: string | null;
  readonly node: string;
  readonly kind: string;
  readonly path: string;
  readonly text: string;
  readonly kinds: readonly Kind[];
  readonly reach: { mode: string; at?: string; inherit?: boolean };
  readonly settings: EngineSettings;
  readonly expect: Expectation;
}

/** What a vector asks for; again, `op` decides which fields are there. */
interface Expectation {
  readonly error?: string;
  readonly ok?: boolean;
  readonly scope?: string;
  readonly roundTrips?: boolean;
  readonly result?: unknown;
  readonly prefixes?: readonly string[];
  readonly scopes?: readonly string[];
  readonly layout?: string;
  readonly root?: string;
  readonly retired?: string;
  readonly owner?: string | null;
  readonly node?: string;
  readonly depth?: number;
  readonly admitted?: boolean;
}

const FILE = new URL("../../tests/data/scope-vectors.json", import.meta.url);

function readVectors(): readonly Vector[] {
  return JSON.parse(Deno.readTextFileSync(FILE)).vectors;
}

/**
 * The vector's layout. Two flagged vectors say what the pure rule gives below
 * roots that the flagged config vectors refuse; those layouts are put together
 * by hand, once the settings have been seen to be refused.
 */
function layoutOf(vector: Vector): Layout {
  const { wire, root, tenantRoot, retired } = vector;
  const settings = {
    wire,
    tenantRoot,
    scopeRoot: root ?? undefined,
    retiredScopeRoot: retired ?? undefined,
  };
  try {
    const { layout } = readEngineSettings(settings);
    equal(layout.name, vector.layout);
    return layout;
  } catch (error) {
    ok(error instanceof CortexConfigError && vector.ambiguous);
    return new Layout({
      wire,
      root: root as RootPath,
      retired: retired === null ? undefined : retired as RootPath,
    });
  }
}

function reachOf({ reach }: Vector): Reach | undefined {
  if (reach.mode === "none") return undefined;
  const make = { exact: exactly, of: upFrom, subtree }[reach.mode];
  ok(make, `unknown reach ${reach.mode}`);
  const made = make(parseNode(reach.at ?? ""));
  return reach.inherit === undefined
    ? made
    : { ...made, inherit: reach.inherit };
}

const RUN: Readonly<Record<string, (vector: Vector) => void>> = {
  render(vector) {
    const layout = layoutOf(vector);
    const node = parseNode(vector.node);
    const kind = parseKind(vector.kind);
    const path = layout.render(node, kind);
    equal(path, vector.expect.scope);
    const reading = layout.parse(path);
    const same = reading.ok && reading.node === node &&
      reading.kind === kind && reading.below === "root";
    equal(same, vector.expect.roundTrips);
    // The recommended choice: what does not read back is not written.
    if (!same) equal(layout.checkNode(node, kind).ok, false);
  },
  "write-check"(vector) {
    const check = layoutOf(vector)
      .checkNode(parseNode(vector.node), parseKind(vector.kind));
    equal(check.ok, vector.expect.ok === true);
  },
  parse(vector) {
    const reading = layoutOf(vector).parse(vector.path);
    const { node, kind, below } = reading.ok ? reading : {};
    const result = reading.ok ? { node, kind, below } : null;
    deepEqual(result, vector.expect.result);
  },
  prefixes(vector) {
    const list = listPrefixes(layoutOf(vector), { reach: reachOf(vector) });
    deepEqual(list, vector.expect.prefixes);
  },
  "read-scopes"(vector) {
    const query = { reach: reachOf(vector), kinds: vector.kinds };
    const paths = knownScopes(layoutOf(vector), query).map((one) => one.path);
    deepEqual(new Set(paths), new Set(vector.expect.scopes));
    equal(paths.length, vector.expect.scopes?.length);
  },
  config({ settings, expect }) {
    if (expect.error !== undefined) {
      throws(() => readEngineSettings(settings), (error) => {
        ok(error instanceof CortexConfigError);
        return error.problems.every(({ setting }) => setting in settings);
      });
      return;
    }
    const { layout, owner } = readEngineSettings(settings);
    equal(layout.name, expect.layout);
    if (expect.root !== undefined) equal(layout.root, expect.root);
    equal(layout.retired, expect.retired);
    equal(owner, expect.owner ?? undefined);
  },
  node({ text, expect }) {
    if (expect.error !== undefined) {
      throws(() => parseNode(text), ScopeSyntaxError);
      return;
    }
    const node = parseNode(text);
    equal(node, expect.node);
    equal(lineage(node).length - 1, expect.depth);
  },
  admits(vector) {
    const reach = reachOf(vector) ?? subtree(parseNode("root"));
    equal(admits(reach, parseNode(vector.node)), vector.expect.admitted);
  },
};

Deno.test("every golden vector of the pure core holds", async (t) => {
  const vectors = readVectors();
  const byOp = Map.groupBy(vectors, (vector) => vector.op);
  const counts: string[] = [];
  const left: string[] = [];
  for (const [op, list] of byOp) {
    const run = RUN[op];
    if (run === undefined) {
      left.push(`${op} ${list.length}`);
      continue;
    }
    await t.step(`${op}: ${list.length} vectors`, () => {
      for (const vector of list) {
        try {
          run(vector);
        } catch (error) {
          throw new Error(`Vector ${vector.id}: ${error}`, { cause: error });
        }
      }
    });
    const flagged = list.filter((one) => one.ambiguous).length;
    counts.push(`${op} ${list.length} (${flagged} flagged)`);
  }
  for (const op of Object.keys(RUN)) ok(byOp.has(op), `no vector of ${op}`);
  // deno-lint-ignore no-console -- the counts are what this test reports
  console.log(
    `scope vectors run: ${counts.join(", ")}; for the engine: ${
      left.join(", ")
    }`,
  );
});
