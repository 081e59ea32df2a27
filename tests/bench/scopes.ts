/**
 * Reading and spelling scope paths in every layout, beside the bare string
 * work. Times and rates are of one path.
 *
 * @module
 */
import { parseNode } from "../../cortex/layout/node.ts";
import { KINDS } from "../../cortex/words.ts";
import {
  type EngineSettings,
  readEngineSettings,
} from "../../cortex/settings.ts";
import { alternate, type Contestant } from "./alternate.ts";
import type { Benchmark } from "./benchmark.ts";

const PATHS = 1_000;

const NODES = [
  "root",
  "ws:main",
  "agent:researcher",
  "team:acme/agent:writer",
  "source:github/project:api",
  "ws:main/service:newsletter",
  "ws:main/source:files",
].map(parseNode);

const ENGINES: readonly (readonly [name: string, settings: EngineSettings])[] =
  [
    ["legacy", {}],
    ["v3", { scopeRoot: "org:42" }],
    ["v3 with a retired root", {
      scopeRoot: "org:42",
      retiredScopeRoot: "user:42",
    }],
    ["v3 hosted", { wire: "hosted", scopeRoot: "user:42" }],
    ["v3 tenant with a retired root", {
      wire: "hosted",
      tenantRoot: true,
      retiredScopeRoot: "user:42",
    }],
  ];

/** `PATHS` pairs that go through every node and kind. */
const PAIRS = Array.from({ length: PATHS }, (_, index) => ({
  node: NODES[index % NODES.length] ?? NODES[0] ?? parseNode("root"),
  kind: KINDS[index % KINDS.length] ?? "learning",
}));

/** Keeps the work from being optimised away. */
let sink = 0;

/** The benchmark. */
export const scopes: Benchmark = {
  name: "scopes",
  summary: "scope paths parsed and rendered, against bare string work",
  async run(bench) {
    const rounds = { rounds: bench.pick(20, 1), calls: bench.pick(20, 1) };
    const parsing = await alternate(parsers(), rounds);
    const rendering = await alternate(renderers(), rounds);
    if (Number.isNaN(sink)) throw new Error("Nothing was read");
    return [
      {
        title: "parse",
        rows: parsing.rows,
        figures: [{
          label: "v3 over split and join",
          value: parsing.ratio("v3", "split and join"),
          unit: "×",
        }],
      },
      {
        title: "render",
        rows: rendering.rows,
        figures: [{
          label: "v3 over concatenation",
          value: rendering.ratio("v3", "concatenate"),
          unit: "×",
        }],
      },
    ];
  },
};

function parsers(): readonly Contestant[] {
  const plain = PAIRS.map(({ node }) => flat(`org:42/${node}/app:learnings`));
  // Sees nothing but strangers, as in a listing of somebody else's scopes.
  const foreign = readEngineSettings({
    scopeRoot: "org:7",
    retiredScopeRoot: "user:7",
  }).layout;
  return [
    {
      label: "split and join",
      size: PATHS,
      once() {
        for (const path of plain) sink += path.split("/").join("/").length;
      },
    },
    ...ENGINES.map(([label, settings]) => {
      const { layout } = readEngineSettings(settings);
      const tenant = layout.wire === "hosted" ? "org:t1/" : "";
      const paths = PAIRS.map(({ node, kind }) => ({
        path: flat(tenant + layout.render(node, kind)),
        node,
      }));
      return {
        label,
        size: PATHS,
        once() {
          for (const { path, node } of paths) {
            const reading = layout.parse(path);
            if (!reading.ok || reading.node.length !== node.length) {
              throw new Error(`Misread: ${path}`);
            }
            sink += reading.node.length;
          }
        },
      };
    }),
    {
      label: "foreign paths",
      size: PATHS,
      once() {
        for (const path of plain) sink += foreign.parse(path).ok ? 1 : 0;
      },
    },
  ];
}

function renderers(): readonly Contestant[] {
  return [
    {
      label: "concatenate",
      size: PATHS,
      once() {
        for (const { node, kind } of PAIRS) {
          sink += lastCode(`org:42/${node}/${kind}`);
        }
      },
    },
    ...ENGINES.map(([label, settings]) => {
      const { layout } = readEngineSettings(settings);
      return {
        label,
        size: PATHS,
        once() {
          for (const { node, kind } of PAIRS) {
            sink += lastCode(layout.render(node, kind));
          }
        },
      };
    }),
  ];
}

/** The text made anew in one piece, as it comes out of an HTTP answer. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** Makes a rope one piece. */
function lastCode(text: string): number {
  return text.charCodeAt(text.length - 1);
}
