/**
 * A client on a stand-in CortexDB, and what to send it.
 *
 * @module
 */

import {
  type ClientOptions,
  type CortexClient,
  createDirectClient,
  createHostedClient,
  type EventDraft,
} from "../../../cortex/client/mod.ts";
import { eventKey, toExperience } from "../../../cortex/client/wire.ts";
import {
  type Layout,
  parseNode,
  type ScopePath,
} from "../../../cortex/layout/mod.ts";
import type { Wire } from "../../../cortex/words.ts";
import { readEngineSettings } from "../../../cortex/mod.ts";
import { CortexDouble, type Quirks } from "./cortex_double.ts";
import { FakeClock } from "../fake_clock.ts";

/** Paths are made by a layout and nothing else. */
export const LAYOUT: Layout = readEngineSettings({ scopeRoot: "org:a" }).layout;

/** The scope of a node's learnings: `org:a/ws:main/app:learnings`. */
export function scopeAt(node = "ws:main"): ScopePath {
  return LAYOUT.render(parseNode(node), "learning");
}

/** An event with its own key. */
export function draftOf(
  text: string,
  more: Partial<EventDraft> = {},
): EventDraft {
  const draft = {
    scope: scopeAt(),
    modality: "observation",
    role: "user",
    text,
    labels: [],
    ...more,
  } as const;
  const idempotencyKey = eventKey(JSON.stringify(toExperience(draft)));
  return { idempotencyKey, ...draft };
}

/** A client of either wire on a new double. */
export function openFixture(
  wire: Wire,
  quirks: Partial<Quirks> = {},
  options: Partial<ClientOptions> = {},
): { client: CortexClient; double: CortexDouble; clock: FakeClock } {
  const double = new CortexDouble(quirks);
  const clock = new FakeClock();
  const create = wire === "direct" ? createDirectClient : createHostedClient;
  const client = create({
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
    fetch: double.fetch,
    clock,
    random: () => 0.5,
    ...options,
  });
  return { client, double, clock };
}
