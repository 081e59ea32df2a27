/**
 * The fence around a connection that may act on some agent roots only
 * (`allowed_agent_roots`): every rule of it is here.
 *
 * A session is placed by the root that its row names and by nothing else; one
 * that names none, or one that the catalog has dropped, is outside.
 * Specification: docs/spec/mcp_endpoint.md section 3.3.
 *
 * @module
 */
import { type CatalogSnapshot, cutText } from "../catalog/mod.ts";
import type { Session } from "../store/sessions/mod.ts";
import { FleetRefusalError } from "./errors.ts";

/** Names of the roots inside; null where there is no fence. */
export type Fence = readonly string[] | null;

/** The narrower of two fences. */
export function narrowFence(a: Fence, b: Fence): Fence {
  if (a === null) return b;
  if (b === null) return a;
  return a.filter((name) => b.includes(name));
}

/** Whether a root, named by key or alias, is inside. */
export function isInside(
  fence: Fence,
  catalog: CatalogSnapshot,
  key: string | null,
): boolean {
  if (fence === null) return true;
  const root = key === null ? undefined : catalog.findRoot(key);
  return root !== undefined &&
    fence.some((name) => catalog.findRoot(name)?.name === root.name);
}

/**
 * Refuses a root outside.
 *
 * @throws {FleetRefusalError} Code `fenced`.
 */
export function assertRootInside(
  fence: Fence,
  catalog: CatalogSnapshot,
  key: string | null,
): void {
  if (isInside(fence, catalog, key)) return;
  throw fenced(
    fence,
    key === null
      ? "an agent_root has to be named"
      : `agent root "${cutText(key, 100)}" is not among them`,
  );
}

/**
 * Refuses a session of a root outside; `act` is what was to be done with it.
 *
 * @throws {FleetRefusalError} Code `fenced`.
 */
export function assertSessionInside(
  fence: Fence,
  catalog: CatalogSnapshot,
  session: Pick<Session, "id" | "agentRootKey">,
  act: string,
): void {
  if (isInside(fence, catalog, session.agentRootKey)) return;
  const root = session.agentRootKey;
  throw fenced(
    fence,
    `${act} is not possible: session ${session.id} ${
      root === null
        ? "names no agent root"
        : `belongs to "${cutText(root, 100)}"`
    }`,
  );
}

/**
 * Refuses what no fenced connection may do.
 *
 * @throws {FleetRefusalError} Code `fenced`.
 */
export function assertNoFence(fence: Fence, act: string): void {
  if (fence !== null) throw fenced(fence, `${act} is not possible`);
}

/** The refusal of something outside of a fence. */
export function fenced(fence: Fence, why: string): FleetRefusalError {
  const names = fence?.join(", ") ?? "";
  return new FleetRefusalError(
    "fenced",
    `This connection may act on the agent roots ${
      names === "" ? "(none)" : cutText(names, 300)
    } only: ${why}. Nothing was changed`,
  );
}
