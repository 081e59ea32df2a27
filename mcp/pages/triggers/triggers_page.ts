/**
 * `/triggers`: what starts sessions by itself.
 *
 * @module
 */
import {
  clockWarnings,
  describeCondition,
  isBursting,
  listTriggers,
  UNRESTRICTED,
} from "../../../fleet/mod.ts";
import {
  TRIGGER_STATUSES,
  type TriggerWithConditions,
} from "../../../store/triggers/mod.ts";
import type { Services } from "../../services.ts";
import type { PageCall } from "../door.ts";
import { figure, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { link, note, state, table, type Tone } from "../parts.ts";

const PAGE_TRIGGERS = 50;
const MAX_OFFSET = 1_000_000;

/** How a trigger stands, by its status. */
export const TRIGGER_TONES: Readonly<Record<string, Tone>> = {
  enabled: "good",
  disabled: "calm",
  failed: "bad",
};

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function triggersPage(
  services: Services,
  { c, person, now }: PageCall,
): Promise<Page> {
  const status = TRIGGER_STATUSES.find((one) => one === c.req.query("status"));
  const asked = Number(c.req.query("offset") ?? 0);
  const offset = Number.isInteger(asked) && asked >= 0 && asked <= MAX_OFFSET
    ? asked
    : 0;
  const [{ triggers, total }, warnings] = await Promise.all([
    listTriggers(services, UNRESTRICTED, {
      status,
      limit: PAGE_TRIGGERS,
      offset,
    }),
    clockWarnings(await services.store.db()),
  ]);
  const next = offset + triggers.length;
  return {
    title: "Triggers",
    body: markup`
${warnings.map((one) => note("warn", `${one}.`))}
<div class="bar">${
      person.barred === undefined &&
      markup`<a class="button" href="${PATHS.triggers}/new">Make a trigger</a>`
    }</div>
${views(status)}
${
      triggers.length === 0
        ? markup`<p class="empty">There is no trigger here.</p>`
        : table("Triggers", [
          { label: "Trigger" },
          { label: "State" },
          { label: "Waits for" },
          { label: "Root" },
          { label: "Sessions", isFigure: true },
          { label: "Last fired" },
        ], triggers.map((one) => row(one, now)))
    }
${
      next < total && triggers.length > 0 &&
      markup`<nav class="paging" aria-label="Paging"><a rel="next" href="${
        link(PATHS.triggers, { status, offset: String(next) })
      }">Next page</a></nav>`
    }`,
  };
}

function views(current: string | undefined): Html {
  const items = [["", "All"], ["enabled", "On"], ["disabled", "Off"], [
    "failed",
    "Failed",
  ]].map(([status = "", label = ""]) => {
    const mark = status === (current ?? "") && markup` aria-current="true"`;
    return markup`<li><a href="${
      link(PATHS.triggers, { status })
    }"${mark}>${label}</a></li>`;
  });
  return markup`<nav class="views" aria-label="Views"><ul>${items}</ul></nav>`;
}

function row(
  { trigger, conditions }: TriggerWithConditions,
  now: number,
): (Html | string)[] {
  return [
    markup`<a href="${PATHS.triggers}/${trigger.id}">${text(trigger.name)}</a>${
      trigger.wakeSessionId !== null &&
      markup`<br><span class="muted">wake of <a href="${PATHS.sessions}/${trigger.wakeSessionId}">#${trigger.wakeSessionId}</a></span>`
    }`,
    markup`${state(trigger.status, TRIGGER_TONES[trigger.status] ?? "calm")} ${
      isBursting(trigger, new Date(now)) && state("Bursting", "warn")
    }`,
    markup`<span class="wrap">${
      conditions.map((one) => markup`${text(describeCondition(one))}<br>`)
    }</span>`,
    text(trigger.agentRootName ?? ""),
    figure(trigger.sessionsCreatedCount),
    time(trigger.lastTriggeredAt, now),
  ];
}
