/**
 * The backlog as a list in memory: what the database has to agree with, after
 * the same changes in the same order.
 *
 * @module
 */
import type { Cost } from "../../store/backlog/mod.ts";
import { BANDS, GAP } from "../../fleet/backlog/bands.ts";

/** A change, as a worker made it. */
export type Change =
  | { readonly kind: "append"; readonly key: string; readonly cost: Cost }
  | {
    readonly kind: "pull";
    readonly count?: number;
    readonly keys?: readonly string[];
    readonly dead?: readonly string[];
  }
  | { readonly kind: "pin" | "unpin" | "top" | "remove"; readonly id: number }
  | {
    readonly kind: "place";
    readonly id: number;
    readonly precedence: number;
  };

/** An item of the model. */
export interface ModelItem {
  readonly key: string;
  readonly cost: Cost;
  /** The n-th that was added. */
  readonly order: number;
  precedence: number;
  pinned: boolean;
  status: "queued" | "started" | "removed";
}

/** Applies changes to a list; `ids` are those of its items, in order. */
export function replay(
  changes: readonly Change[],
  ids: readonly number[],
): ModelItem[] {
  const items: ModelItem[] = [];
  const byId = (id: number) => items[ids.indexOf(id)];
  const queue = () =>
    items.filter(({ status }) => status === "queued")
      .sort((a, b) => b.precedence - a.precedence || a.order - b.order);
  for (const change of changes) {
    switch (change.kind) {
      case "append": {
        const { key, cost } = change;
        if (queue().some((one) => one.key === key)) break;
        const precedence = room(queue(), cost);
        items.push({
          key,
          cost,
          precedence,
          order: items.length,
          pinned: false,
          status: "queued",
        });
        break;
      }
      case "pull": {
        for (const key of change.dead ?? []) {
          set(queue().find((one) => one.key === key), { status: "removed" });
        }
        const pulled = change.keys === undefined
          ? queue().slice(0, change.count)
          : queue().filter(({ key }) => change.keys?.includes(key));
        for (const one of pulled) one.status = "started";
        break;
      }
      case "pin":
        set(byId(change.id), { pinned: true });
        break;
      case "unpin": {
        const item = byId(change.id);
        if (item?.pinned !== true) break;
        set(item, { precedence: room(queue(), item.cost), pinned: false });
        break;
      }
      case "top": {
        const item = byId(change.id);
        const [first] = queue();
        const top = first === undefined || first === item
          ? {}
          : { precedence: first.precedence + GAP };
        set(item, { ...top, pinned: true });
        break;
      }
      case "place":
        set(byId(change.id), { precedence: change.precedence, pinned: true });
        break;
      case "remove":
        set(byId(change.id), { status: "removed" });
    }
  }
  return items;
}

function set(item: ModelItem | undefined, to: Partial<ModelItem>): void {
  if (item === undefined) throw new Error("The model has no such item");
  Object.assign(item, to);
}

/** The place of a new item; others of its band move where they must. */
function room(queue: readonly ModelItem[], cost: Cost): number {
  const { floor, base, ceiling } = BANDS[cost];
  const band = queue.filter((one) =>
    one.cost === cost && !one.pinned && one.precedence >= floor &&
    one.precedence <= ceiling
  );
  const next = () =>
    Math.min(base + GAP, ...band.map((one) => one.precedence)) - GAP;
  if (next() > floor) return next();
  const step = Math.max(1, Math.floor((base - floor) / (band.length + 2)));
  band.forEach((one, at) => one.precedence = base - at * step);
  if (next() <= floor) throw new Error("The band is full");
  return next();
}
