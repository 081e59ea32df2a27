/**
 * Layouts: from (node, kind) to the path its items lie at, and back.
 *
 * A layout is a body grammar below one root, or two while a root is retired.
 * Everything here is pure and total. What `checkNode` admits always reads back
 * to the same (node, kind) below the root.
 *
 * @module
 */

import { quote } from "../errors.ts";
import { type BodyGrammar, joinPath } from "./grammar.ts";
import { LEGACY_GRAMMAR } from "./layout_legacy.ts";
import { V3_GRAMMAR } from "./layout_v3.ts";
import { isAtOrBelow, nodeText } from "./node.ts";
import type { Kind, Node, Wire } from "../words.ts";
import { bodyStart, storedForms } from "./roots.ts";
import {
  LEGACY_ROOT,
  type RootPath,
  type ScopePath,
  type ScopePrefix,
  TENANT_ROOT,
} from "./scope.ts";
import type { Fault } from "./segment.ts";

/** Which of an engine's two roots a path lies below. */
export type Below = "root" | "retired";

/** Where the items of one kind at one node lie. */
export interface Scope {
  /** Whose they are. */
  readonly node: Node;
  /** What they are. */
  readonly kind: Kind;
  /** Which root they lie below. */
  readonly below: Below;
  /** The path as this engine sends it, without what a backend puts in front. */
  readonly path: ScopePath;
}

/** What a path means to a layout; a path that is nobody's is no error. */
export type Reading =
  | { readonly ok: true } & Scope
  | { readonly ok: false } & Fault;

/** Whether items may be written at a (node, kind), and if not, why. */
export type NodeCheck =
  | { readonly ok: true }
  | {
    /** Nothing may be written there. */
    readonly ok: false;
    /** Which rule refuses it. */
    readonly code: "repeats_root" | "reads_otherwise";
    /** The refusal in words. */
    readonly reason: string;
  };

const ROOTS: readonly Below[] = ["root", "retired"];

const ROOT_NAMES: Readonly<Record<Below, string>> = {
  root: "root",
  retired: "retired root",
};

/** What a layout is made of. */
export interface LayoutParts {
  /** Whether a backend puts something in front of every path. */
  readonly wire: Wire;
  /** The root; legacy when it is not given. */
  readonly root?: RootPath | undefined;
  /** A root that is still read and no longer written. */
  readonly retired?: RootPath | undefined;
}

/** One engine's way of placing items in scopes. */
export class Layout {
  /** Which layout it is. */
  readonly name: "legacy" | "v3";
  /** Whether a backend puts something in front of every path. */
  readonly wire: Wire;
  /** The root everything is written below; empty for a tenant root. */
  readonly root: RootPath;
  /** The root that is still read and no longer written. */
  readonly retired: RootPath | undefined;
  readonly #grammar: BodyGrammar;
  readonly #roots: Readonly<Record<Below, RootPath | undefined>>;
  /** Why a path that lacks a root is nobody's; most of a listing may be. */
  readonly #strangers: Readonly<Record<Below, string>>;

  /** Takes parts that the settings' checks have passed. */
  constructor(parts: LayoutParts) {
    this.name = parts.root === undefined ? "legacy" : "v3";
    this.wire = parts.wire;
    this.root = parts.root ?? LEGACY_ROOT;
    this.retired = parts.retired;
    this.#grammar = parts.root === undefined ? LEGACY_GRAMMAR : V3_GRAMMAR;
    this.#roots = { root: this.root, retired: this.retired };
    this.#strangers = {
      root: stranger("root", this.wire, this.root),
      retired: stranger("retired", this.wire, this.retired ?? ""),
    };
  }

  /** The path that items of the kind at the node are written to. */
  render(node: Node, kind: Kind): ScopePath {
    return this.#path(this.root, this.#grammar.render(node, kind));
  }

  /** Where items of the kind at the node may lie: root first, then retired. */
  scopes(node: Node, kind: Kind): readonly Scope[] {
    const body = this.#grammar.render(node, kind);
    const path = this.#path(this.root, body);
    const scope: Scope = { node, kind, below: "root", path };
    if (this.retired === undefined) return [scope];
    const old = this.#path(this.retired, body);
    return [scope, { node, kind, below: "retired", path: old }];
  }

  /** Reads any path. Only what `scopes` spells, character for character. */
  parse(path: string): Reading {
    if (this.retired === undefined) return this.#read("root", this.root, path);
    const old = this.#read("retired", this.retired, path);
    if (old.ok) return old;
    const here = this.#read("root", this.root, path);
    // Of two faults, tell the one that lies further into the path.
    return here.ok || here.offset >= old.offset ? here : old;
  }

  /** The paths below which every scope of the node, and below it, is listed. */
  prefixes(node: Node): readonly ScopePrefix[] {
    const stems = this.#grammar.stems(node);
    return ROOTS.flatMap((below) => {
      const root = this.#roots[below];
      if (root === undefined) return [];
      // The beginning of a rendered path is as good as the path.
      return stems.map((stem) => joinPath(root, stem) as ScopePrefix);
    });
  }

  /**
   * Whether items of the kind may be written at the node. A node that repeats a
   * root is refused, and so is one whose path would read as something else.
   */
  checkNode(node: Node, kind: Kind): NodeCheck {
    for (const below of ROOTS) {
      const root = this.#roots[below];
      if (root === undefined || !repeats(node, root)) continue;
      const reason = `node ${quote(node)} begins with the ` +
        `${ROOT_NAMES[below]} ${quote(root)}`;
      return { ok: false, code: "repeats_root", reason };
    }
    const path = this.render(node, kind);
    for (const stored of storedForms(path, this.wire, this.retired)) {
      const read = this.parse(stored);
      if (read.ok && read.below === "root" && read.path === path) continue;
      const reason = `${quote(stored)} would read back as ${meaning(read)}`;
      return { ok: false, code: "reads_otherwise", reason };
    }
    return { ok: true };
  }

  #path(root: RootPath, body: string): ScopePath {
    return joinPath(root, body) as ScopePath; // Rendering is what makes paths.
  }

  #read(below: Below, root: RootPath, path: string): Reading {
    const start = bodyStart(path, root, this.wire);
    if (start < 0) {
      return { ok: false, reason: this.#strangers[below], offset: 0 };
    }
    if (start > path.length) {
      const reason = `nothing follows the ${ROOT_NAMES[below]}`;
      return { ok: false, reason, offset: path.length };
    }
    const body = this.#grammar.read(path, start);
    if (!body.ok) return body;
    const { node, kind } = body;
    const own = path.slice(
      root === TENANT_ROOT ? start : start - 1 - root.length,
    );
    // Canonical spelling: this is what `scopes` gives for the same node.
    return { ok: true, node, kind, below, path: own as ScopePath };
  }
}

function repeats(node: Node, root: RootPath): boolean {
  return root !== TENANT_ROOT && isAtOrBelow(nodeText(node), root);
}

function stranger(below: Below, wire: Wire, root: string): string {
  const lacks = wire === "direct" ? "does not begin with" : "lacks";
  return `the path ${lacks} the ${ROOT_NAMES[below]} ${quote(root)}`;
}

function meaning(reading: Reading): string {
  if (!reading.ok) return `nobody's: ${reading.reason}`;
  const { node, kind, below } = reading;
  return `a ${kind} at node ${quote(node)} below the ${ROOT_NAMES[below]}`;
}
