/**
 * Erasing scopes with everything in them, deepest first.
 *
 * A sourced document's scope has no leaf, so that its collections lie below it
 * and would suffer with it. Where something below a scope is to stay, its
 * events are removed one by one instead. An erasure ignores sandboxes: a
 * workspace is erased with its workflows.
 *
 * Specification: docs/spec/cortex_engine.md section 11.
 *
 * @module
 */

import { CortexProtocolError, CortexUnavailableError } from "../../errors.ts";
import type { Scope } from "../../layout/layouts.ts";
import { isAtOrBelow, isWithin } from "../../layout/node.ts";
import { type Kind, KINDS, type Node, ROOT_NODE } from "../../words.ts";
import { type ScopePath, TENANT_ROOT } from "../../layout/scope.ts";
import type { Erasure, EventId } from "../../client/wire.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
} from "../context.ts";
import { heldScopes } from "../read/find_scopes.ts";
import { forgetEvents } from "./forget.ts";
import { invalidRequest } from "../item/item_check.ts";
import { poll } from "../write/visibility.ts";
import { NO_TEXT, walkEvents } from "../read/walk.ts";

/** What to erase. */
export interface EraseNodesRequest {
  /** The node. */
  readonly at: Node;
  /** Whether everything below it goes, too. */
  readonly descendants: boolean;
  /** Which kinds; every kind when left out or empty. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Needed to erase everything below the root. */
  readonly wholeTree?: boolean | undefined;
  /** Only says what would be erased. */
  readonly preview?: boolean | undefined;
  /** Why, for CortexDB's audit. */
  readonly reason?: string | undefined;
}

/** A scope that is to be erased, or was. */
export interface ErasedScope {
  /** The scope. */
  readonly path: ScopePath;
  /** Whose it is. */
  readonly node: Node;
  /** What lies in it. */
  readonly kind: Kind;
  /**
   * How: as a scope; its events one by one, because something below it stays;
   * or with all of the tenant.
   */
  readonly how: "scope" | "events" | "tenant";
  /** How many events it holds now; counted up to 1000. */
  readonly events: number;
}

/** A scope that is not ours to erase. */
export interface ForeignScope {
  /** The scope, as CortexDB lists it. */
  readonly path: string;
  /** How many events it holds; counted up to 1000. */
  readonly events: number;
}

/** What was erased, in the order in which it was. */
export interface EraseReport {
  /** The scopes, deepest first. */
  readonly scopes: readonly ErasedScope[];
  /**
   * Scopes below that hold events and are none of this layout's: they stay.
   * Looked for where nodes below and every kind are erased; up to 100.
   */
  readonly foreign: readonly ForeignScope[];
  /**
   * Whether another look found all of these scopes empty, and nothing of
   * others' below; false in a preview.
   */
  readonly isProven: boolean;
  /** Where it ended before it was done, and why; what is left is counted. */
  readonly failure: EraseFailure | undefined;
}

/** Why an erasure ended before it was done. */
export interface EraseFailure {
  /** The scope at which it did. */
  readonly path: ScopePath;
  /** Why. */
  readonly error: unknown;
}

const COUNT_TO = 1_000;
/** As many of others' scopes are looked into. */
const MAX_FOREIGN = 100;
/** Events removed before the listing is read anew. */
const ROUND = 5_000;
const POLL_MS = 10 * 60_000;
const POLL_STEP_MS = 1_000;
const PROOF_MS = 10_000;
const DEFAULT_REASON = "erased by request";

type Planned = Pick<ErasedScope, "how"> & { readonly scope: Scope };

interface Plan {
  readonly planned: readonly Planned[];
  /** Listed below, and not read as a scope of ours. */
  readonly foreign: readonly string[];
}

/** Erases what a node holds, below both roots. */
export async function eraseScopes(
  context: EngineContext,
  request: EraseNodesRequest,
  options: OperationOptions,
): Promise<EraseReport> {
  const { preview = false, reason: auditNote = DEFAULT_REASON } = request;
  const isTree = isWholeTree(request);
  if (isTree && !preview && request.wholeTree !== true) {
    throw invalidRequest(
      "Everything below the root would be erased: that needs to be asked for as the whole tree",
    );
  }
  const doomed = await plan(context, request, options);
  if (preview) return await report(context, doomed, options);
  let failure: EraseFailure | undefined;
  if (isTenantWide(context, request)) await context.client.eraseTenant(options);
  else {
    for (const [done, { scope, how }] of doomed.planned.entries()) {
      try {
        if (how === "events") {
          await forgetAll(context, scope, auditNote, options);
        } else await eraseScope(context, scope, auditNote, options);
      } catch (error) {
        // What is gone is gone: the caller has to hear of that, too.
        if (done === 0 || options.signal?.aborted === true) throw error;
        failure = { path: scope.path, error };
        break;
      }
    }
  }
  const waitMs = failure === undefined ? PROOF_MS : 0;
  return { ...await report(context, doomed, { ...options, waitMs }), failure };
}

function isWholeTree(
  { at, descendants, kinds = [] }: EraseNodesRequest,
): boolean {
  const isAll = kinds.length === 0 || KINDS.every((one) => kinds.includes(one));
  return at === ROOT_NODE && descendants && isAll;
}

/** Whether the whole tree is all of a hosted tenant, erased by one request. */
function isTenantWide(
  { client, layout }: EngineContext,
  request: EraseNodesRequest,
): boolean {
  return client.wire === "hosted" && layout.root === TENANT_ROOT &&
    isWholeTree(request);
}

async function plan(
  context: EngineContext,
  request: EraseNodesRequest,
  options: OperationOptions,
): Promise<Plan> {
  const { at, descendants, kinds = [] } = request;
  // What takes everything misses nothing, however much of it was listed.
  const mayBeCut = isTenantWide(context, request);
  const held = await heldScopes(context, at, { ...options, mayBeCut });
  const doomed = held.scopes
    .filter(({ node, kind }) =>
      (node === at || (descendants && isWithin(node, at))) &&
      (kinds.length === 0 || kinds.includes(kind))
    )
    .toSorted((a, b) => depth(b) - depth(a));
  if (mayBeCut) {
    const planned = doomed.map((scope): Planned => ({ scope, how: "tenant" }));
    return { planned, foreign: [] };
  }
  // Strangers' scopes, too: whatever stays below must not be touched.
  const staying = stayingPaths(context, held.paths, doomed);
  const planned = doomed.map((scope): Planned => {
    const isAbove = staying.some((path) => isAtOrBelow(path, scope.path));
    return { scope, how: isAbove ? "events" : "scope" };
  });
  const isAll = descendants &&
    KINDS.every((one) => kinds.length === 0 || kinds.includes(one));
  return {
    planned,
    foreign: isAll ? foreignPaths(context, held.paths) : [],
  };
}

/** Paths that lie below a root and read as no scope of ours. */
function foreignPaths(
  { layout, client }: EngineContext,
  paths: readonly string[],
): readonly string[] {
  if (client.wire !== "direct") return [];
  return [...new Set(paths)].filter((path) => !layout.parse(path).ok)
    .slice(0, MAX_FOREIGN);
}

function stayingPaths(
  { layout }: EngineContext,
  paths: readonly string[],
  doomed: readonly Scope[],
): readonly string[] {
  const going = new Set<string>(doomed.map(({ path }) => path));
  return paths
    // As this engine would send it: without what a backend puts in front.
    .map((path) => ownSpelling(layout, path))
    .filter((path) => !going.has(path));
}

function ownSpelling(
  layout: EngineContext["layout"],
  path: string,
): string {
  const reading = layout.parse(path);
  if (reading.ok) return reading.path;
  if (layout.wire === "direct") return path;
  // A stranger's path below a tenant: the tenant is its first segment.
  return path.startsWith("org:") ? path.slice(path.indexOf("/") + 1) : path;
}

function depth({ path }: Scope): number {
  return path.split("/").length;
}

/** Removes a scope's events, so many at a time that any number will do. */
async function forgetAll(
  context: EngineContext,
  scope: Scope,
  auditNote: string,
  options: OperationOptions,
): Promise<void> {
  const gone = new Set<EventId>();
  for (;;) {
    const listed = await allEvents(context, scope, ROUND, options);
    // A listing may lag behind; what then is left, the report shows.
    const ids = listed.filter((id) => !gone.has(id));
    if (ids.length === 0) return;
    await forgetEvents(context, scope, ids, auditNote, options);
    for (const id of ids) gone.add(id);
  }
}

/** Erases a scope and waits until it is done. */
async function eraseScope(
  context: EngineContext,
  { path }: Scope,
  auditNote: string,
  options: OperationOptions,
): Promise<void> {
  const { client } = context;
  let erasure: Erasure | undefined = await client.erase(
    { scope: path, auditNote },
    options,
  );
  const pace = { ...options, stepMs: POLL_STEP_MS };
  await poll(context, POLL_MS, pace, async () => {
    if (erasure?.status !== "running") return true;
    const [id] = erasure.ids;
    if (id === undefined) return true;
    erasure = await client.readErasure(id, options);
    return erasure?.status !== "running";
  });
  if (erasure?.status === "completed") return;
  if (erasure?.status === "running") {
    throw new CortexUnavailableError(
      `The erasure of ${path} is still running; scopes further down are erased, ask again later`,
      { attempts: 1 },
    );
  }
  throw new CortexProtocolError({
    operation: "erase a scope",
    path: "$.status",
    problem: "is neither completed nor running",
  });
}

/** What the scopes hold now; waits for emptiness when told how long. */
async function report(
  context: EngineContext,
  { planned, foreign }: Plan,
  { waitMs, ...options }: OperationOptions & { readonly waitMs?: number },
): Promise<EraseReport> {
  const scopes = await forEachScope(planned, async ({ scope, how }) => {
    let events = 0;
    const count = async () => {
      const ids = await allEvents(context, scope, COUNT_TO, options);
      events = ids.length;
      return events === 0;
    };
    if (waitMs === undefined) await count();
    else await poll(context, waitMs, options, count);
    const { path, node, kind } = scope;
    return { path, node, kind, how, events };
  });
  const others = await forEachScope(foreign, async (path) => {
    const scope = { path: path as ScopePath }; // Only read, below our root.
    const ids = await allEvents(context, scope, COUNT_TO, options);
    return { path, events: ids.length };
  });
  const holding = others.filter(({ events }) => events > 0);
  const isEmpty = holding.length === 0 &&
    scopes.every(({ events }) => events === 0);
  return {
    scopes,
    foreign: holding,
    isProven: waitMs !== undefined && isEmpty,
    failure: undefined,
  };
}

/** The ids of a scope's events, whoever wrote them, up to a number. */
async function allEvents(
  context: EngineContext,
  scope: Pick<Scope, "path">,
  most: number,
  options: OperationOptions,
): Promise<readonly EventId[]> {
  const ids: EventId[] = [];
  for await (
    const { event } of walkEvents(context, scope, {}, {
      ...options,
      ...NO_TEXT,
    })
  ) {
    if (event.text === undefined || event.text === "") continue; // Redacted.
    ids.push(event.id);
    if (ids.length >= most) break;
  }
  return ids;
}
