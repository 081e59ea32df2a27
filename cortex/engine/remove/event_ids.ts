/**
 * Which events there are, whoever wrote them.
 *
 * @module
 */

import type { EventId } from "../../client/wire.ts";
import type { RootPath, ScopePath } from "../../layout/scope.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { NO_TEXT, walkEvents } from "../read/walk.ts";

/** The ids of a scope's events, whoever wrote them, up to a number. */
export async function eventIds(
  context: EngineContext,
  scope: { readonly path: ScopePath | RootPath },
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
