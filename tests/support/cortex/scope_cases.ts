/**
 * Engines and nodes that scope tests run over, and a seeded source of chance.
 *
 * @module
 */

import type { Layout } from "../../../cortex/layout/layouts.ts";
import { parseNode } from "../../../cortex/layout/node.ts";
import type { Node } from "../../../cortex/words.ts";
import {
  type EngineSettings,
  readEngineSettings,
} from "../../../cortex/settings.ts";

/** One engine of each sort that the layouts tell apart. */
const SETTINGS: readonly EngineSettings[] = [
  {},
  { wire: "hosted" },
  { scopeRoot: "org:42" },
  { scopeRoot: "org:acme/dept:eng" },
  { scopeRoot: "user:42" },
  { scopeRoot: "team:a/user:42" },
  { scopeRoot: "org:42", retiredScopeRoot: "user:42" },
  { scopeRoot: "org:42", retiredScopeRoot: "org:42/user:42" },
  { wire: "hosted", tenantRoot: true },
  { wire: "hosted", tenantRoot: true, retiredScopeRoot: "user:42" },
  { wire: "hosted", tenantRoot: true, retiredScopeRoot: "org:42/user:42" },
  { wire: "hosted", scopeRoot: "org:42" },
  { wire: "hosted", scopeRoot: "org:42", retiredScopeRoot: "user:42" },
  { wire: "hosted", scopeRoot: "user:42" },
  { wire: "hosted", scopeRoot: "user:42", retiredScopeRoot: "team:a" },
  { wire: "hosted", scopeRoot: "team:a/user:42" },
  { wire: "hosted", scopeRoot: "ws:m/source:x" },
  { wire: "hosted", scopeRoot: "team:a/team:a" },
];

/** A layout and the settings that it was built from, as a test's label. */
export interface Context {
  readonly label: string;
  readonly layout: Layout;
}

/** Every engine of `SETTINGS`. */
export function contexts(): readonly Context[] {
  return SETTINGS.map((settings) => ({
    label: JSON.stringify(settings),
    layout: readEngineSettings(settings).layout,
  }));
}

/** Segments that node tests combine; `user:42` and `team:a` recur in roots. */
export const NODE_SEGMENTS: readonly string[] = [
  "agent:a",
  "team:a",
  "user:42",
  "user:421",
  "ws:m",
  "project:p",
  "source:x",
  "source:y",
  "service:s",
];

/** Every node over `NODE_SEGMENTS` of at most `depth` segments. */
export function allNodes(depth: number): readonly Node[] {
  let level: string[] = [""];
  const all = [parseNode("root")];
  for (let at = 0; at < depth; at++) {
    level = level.flatMap((above) =>
      NODE_SEGMENTS.map((one) => above === "" ? one : `${above}/${one}`)
    );
    for (const text of level) all.push(parseNode(text));
  }
  return all;
}

/** Chance that a seed repeats exactly. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below - 1`. */
  below(below: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("Cannot pick from nothing");
    return item;
  }
}
