/**
 * An item as arguments have it.
 *
 * @module
 */
import type { ItemRequest } from "../../../fleet/mod.ts";
import type { ValueOf } from "../../schema.ts";
import type { ITEM_INPUT, ITEM_REQUIRED } from "./inputs.ts";

type Properties = typeof ITEM_INPUT;
type Required = typeof ITEM_REQUIRED[number];

/** Arguments of an item. */
type ItemArguments =
  & { readonly [K in Required]: ValueOf<Properties[K]> }
  & {
    readonly [K in Exclude<keyof Properties, Required>]?:
      | ValueOf<Properties[K]>
      | undefined;
  };

/** The item that arguments hand in. */
export function itemRequest(args: ItemArguments): ItemRequest {
  return {
    key: args.key,
    issueUrl: args.issue_url,
    repo: args.repo,
    surface: args.surface,
    title: args.title,
    kind: args.kind,
    scopeDirection: args.scope_direction,
    estimatedCost: args.estimated_cost,
    ratings: args.ratings,
    gateVerdict: args.gate_verdict,
    gateSession: args.gate_session,
    decidedAt: args.decided_at,
    notes: args.notes,
  };
}
