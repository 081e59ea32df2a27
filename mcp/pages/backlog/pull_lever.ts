/**
 * Takes the forms with which a person changes the backlog.
 *
 * @module
 */
import {
  FleetRefusalError,
  pinItem,
  removeItem,
  startItem,
  unpinItem,
} from "../../../fleet/mod.ts";
import { StoreRefusalError } from "../../../store/mod.ts";
import type { Services } from "../../services.ts";
import { type Page, PATHS } from "../layout.ts";
import { link } from "../parts.ts";
import type { Person } from "../person.ts";
import { fieldOf, type FormFields } from "../read_form.ts";
import { backlogPage } from "./backlog_page.ts";

/** What the forms do. */
export const LEVERS = [
  "pin",
  "unpin",
  "top",
  "place",
  "beside",
  "remove",
  "start",
] as const;

/** One of them. */
export type Lever = typeof LEVERS[number];

/** What a form is about. */
export interface LeverCall {
  /** The item. */
  readonly id: number;
  /** What the form sent. */
  readonly fields: FormFields;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
  /** Who sent it. */
  readonly person: Person;
}

/** Does it: where to go then, or the page with what is wrong. */
export async function pullLever(
  services: Services,
  lever: Lever,
  call: LeverCall,
): Promise<Page | string> {
  try {
    await act(services, lever, call);
    const offset = fieldOf(call.fields, "offset");
    return link(PATHS.backlog, { offset });
  } catch (error) {
    const isRefusal = error instanceof FleetRefusalError ||
      error instanceof StoreRefusalError;
    if (!isRefusal) throw error;
    return await backlogPage(services, {}, {
      now: call.now,
      person: call.person,
      refused: error.message,
      status: 400,
    });
  }
}

async function act(
  services: Services,
  lever: Lever,
  { id, fields, person }: LeverCall,
): Promise<unknown> {
  switch (lever) {
    case "pin":
      return await pinItem(services, id, { kind: "here" });
    case "unpin":
      return await unpinItem(services, id);
    case "top":
      return await pinItem(services, id, { kind: "top" });
    case "place": {
      const precedence = Number(fieldOf(fields, "precedence") ?? NaN);
      return await pinItem(services, id, { kind: "precedence", precedence });
    }
    case "beside":
      return await pinItem(services, id, {
        kind: "beside",
        id: Number(fieldOf(fields, "beside") ?? NaN),
        side: fieldOf(fields, "side") === "below" ? "below" : "above",
      });
    case "remove": {
      const reason = fieldOf(fields, "reason") ?? "";
      return await removeItem(services, id, {
        reason,
        by: person.name ?? "human",
      });
    }
    case "start":
      return await startItem(services, id, {
        schedulingClass: "priority",
        genesis: "web_ui",
      });
  }
}
