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
import type { Kind, Node } from "../../words.ts";
import type { RootPath, ScopePath } from "../../layout/scope.ts";
import type { Erasure, EventId } from "../../client/wire.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { eventIds } from "./event_ids.ts";
import type { RemovalFailure } from "./failure.ts";
import { countEvents } from "./count_events.ts";
import {
  type EraseNodesRequest,
  isTenantWide,
  isWholeTree,
  type Plan,
  planErasure,
  stepsOf,
} from "./erase_plan.ts";
import { forgetEvents } from "./forget.ts";
import { invalidRequest } from "../item/item_check.ts";
import { poll } from "../write/visibility.ts";

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
  /**
   * How many events it holds now; counted up to 1000. Undefined where nobody
   * could look: see the report's failure.
   */
  readonly events: number | undefined;
}

/** A scope that is not ours to erase. */
export interface ForeignScope {
  /** The scope, as CortexDB lists it. */
  readonly path: string;
  /** How many events it holds; counted up to 1000; undefined as above. */
  readonly events: number | undefined;
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
  /**
   * Where it ended before it was done, and why; what is left is counted. An
   * erasure that is done may have ended at that count.
   */
  readonly failure: RemovalFailure | undefined;
}

/** Events removed before the listing is read anew. */
const ROUND = 5_000;
const POLL_MS = 10 * 60_000;
const POLL_STEP_MS = 1_000;
const PROOF_MS = 10_000;
const DEFAULT_REASON = "erased by request";

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
  const doomed = await planErasure(context, request, options);
  const look = { at: request.at, ...options };
  if (preview) {
    const found = await report(context, doomed, look);
    const isNothing = found.scopes.every(({ events }) => events === undefined);
    if (found.failure !== undefined && isNothing) throw found.failure.error;
    return found;
  }
  let failure: RemovalFailure | undefined;
  if (isTenantWide(context, request)) await context.client.eraseTenant(options);
  else {
    for (const [done, step] of stepsOf(doomed).entries()) {
      const { path } = step.at;
      try {
        if (step.how === "events") {
          await forgetAll(context, step.at, auditNote, options);
        } else await eraseScope(context, path, auditNote, options);
      } catch (error) {
        // What is gone is gone: the caller has to hear of that, too.
        const isNothing = done === 0 && step.how !== "cover";
        if (isNothing || options.signal?.aborted === true) throw error;
        failure = { path, error };
        break;
      }
    }
  }
  const waitMs = failure === undefined ? PROOF_MS : 0;
  const found = await report(context, doomed, { ...look, waitMs });
  return { ...found, failure: failure ?? found.failure };
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
    const listed = await eventIds(context, scope, ROUND, options);
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
  path: ScopePath | RootPath,
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
  options: OperationOptions & {
    /** The node. */
    readonly at: Node;
    readonly waitMs?: number | undefined;
  },
): Promise<EraseReport> {
  const isPreview = options.waitMs === undefined;
  const { events, failure } = await countEvents(
    context,
    { ours: planned.map(({ scope }) => scope.path), foreign },
    options,
  );
  const scopes = planned.map(({ scope: { path, node, kind }, how }) => ({
    path,
    node,
    kind,
    how,
    events: events.get(path),
  }));
  const holding = foreign.map((path) => ({ path, events: events.get(path) }))
    .filter((one) => one.events !== 0);
  const isEmpty = holding.length === 0 &&
    scopes.every((scope) => scope.events === 0);
  return {
    scopes,
    foreign: holding,
    isProven: !isPreview && isEmpty,
    failure,
  };
}
