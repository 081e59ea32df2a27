/**
 * The form of hooks that most agents share: lists by event, of a matcher and
 * its commands, in their settings.
 *
 * @module
 */
import { quoted } from "../../process/run_as.ts";
import type { HookForm, PlacedHook } from "../hooks.ts";

/** Lists of a matcher and its commands, by the agent's event. */
export type HookLists = Readonly<
  Record<
    string,
    readonly {
      readonly matcher?: string;
      readonly hooks: readonly {
        readonly type: "command";
        readonly command: string;
        readonly timeout?: number;
      }[];
    }[]
  >
>;

/** Makes the lists; `unitMs` is what the agent counts a timeout in. */
export function hookLists(
  hooks: readonly PlacedHook[],
  events: HookForm["events"],
  unitMs: number,
): HookLists {
  const lists: Record<string, HookLists[string][number][]> = {};
  for (const { event, matcher, timeoutMs, program } of hooks) {
    (lists[events[event] ?? event] ??= []).push({
      ...(matcher === null ? {} : { matcher }),
      hooks: [{
        type: "command",
        command: quoted(program),
        ...(timeoutMs === null
          ? {}
          : { timeout: Math.ceil(timeoutMs / unitMs) }),
      }],
    });
  }
  return lists;
}
