/**
 * `/backlog`: the queue of work, and a person's levers over it.
 *
 * @module
 */
import {
  countItems,
  type ItemCounts,
  type ItemState,
  listItems,
  type RankedItem,
} from "../../../store/backlog/mod.ts";
import type { Services } from "../../services.ts";
import { figure, text, time } from "../format.ts";
import { LIVE_SCRIPTS, type Page, type PageStatus, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { figures, link, note, sessionLink, state, table } from "../parts.ts";
import type { Person } from "../person.ts";
import { given, type Query } from "../query.ts";

const PAGE_ITEMS = 50;
const MAX_OFFSET = 1_000_000;

/** States that the page shows, with what they are called. */
const VIEWS: Readonly<Partial<Record<ItemState, string>>> = {
  queued: "Queue",
  in_flight: "In flight",
  parked: "Waiting for a person",
  ended: "Over",
  removed: "Removed",
};

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function backlogPage(
  { store }: Services,
  query: Query,
  { now, person, refused, status = 200 }: {
    readonly now: number;
    readonly person: Person;
    /** What a form was refused with. */
    readonly refused?: string;
    readonly status?: PageStatus;
  },
): Promise<Page> {
  const view = viewOf(query.status);
  const offset = offsetOf(given(query.offset));
  const db = await store.db();
  const [{ items, total }, counts] = await Promise.all([
    listItems(db, { state: view, limit: PAGE_ITEMS, offset }),
    countItems(db),
  ]);
  const next = offset + items.length < total && items.length > 0
    ? String(offset + items.length)
    : undefined;
  const mayWrite = person.barred === undefined;
  const isMovable = mayWrite && view === "queued" && items.length > 1;
  return {
    title: "Backlog",
    status,
    ...(isMovable ? { script: LIVE_SCRIPTS.backlog } : {}),
    body: markup`
${
      refused !== undefined &&
      markup`<div role="alert">${note("bad", `${refused}.`)}</div>`
    }
${summary(counts)}
${views(view)}
${
      items.length === 0
        ? markup`<p class="empty">Nothing is here.</p>`
        : view === "queued"
        ? queue(items, { now, mayWrite })
        : history(items, now)
    }
${isMovable && dragForm(offset)}
${
      next !== undefined &&
      markup`<nav class="paging" aria-label="Paging"><a rel="next" href="${
        link(PATHS.backlog, { status: view, offset: next })
      }">Next page</a></nav>`
    }`,
  };
}

function viewOf(text: string | undefined): ItemState {
  const view = Object.keys(VIEWS).find((one) => one === text);
  return view === undefined ? "queued" : view as ItemState;
}

function offsetOf(text: string | undefined): number {
  const offset = Number(text ?? 0);
  return Number.isInteger(offset) && offset >= 0 && offset <= MAX_OFFSET
    ? offset
    : 0;
}

function summary(counts: ItemCounts): Html {
  return figures([
    ["In line", figure(counts.queued)],
    ["Pinned", figure(counts.pinned)],
    ["In flight", figure(counts.inFlight)],
    ["Waiting for a person", figure(counts.parked)],
  ]);
}

function views(current: ItemState): Html {
  const items = Object.entries(VIEWS).map(([view, label]) => {
    const mark = view === current && markup` aria-current="true"`;
    return markup`<li><a href="${
      link(PATHS.backlog, { status: view })
    }"${mark}>${label}</a></li>`;
  });
  return markup`<nav class="views" aria-label="Views"><ul>${items}</ul></nav>`;
}

/** What a drag sends; without scripts the buttons do the same. */
function dragForm(offset: number): Html {
  return markup`
<form id="drag" method="post" data-path="${PATHS.backlog}" hidden>
  <input type="hidden" name="beside"><input type="hidden" name="side">
  <input type="hidden" name="offset" value="${offset === 0 ? "" : offset}">
</form>`;
}

function queue(
  items: readonly RankedItem[],
  { now, mayWrite }: { readonly now: number; readonly mayWrite: boolean },
): Html {
  const columns = [
    { label: "Item" },
    { label: "Place", isFigure: true },
    { label: "Work" },
    { label: "Added" },
    ...(mayWrite ? [{ label: "What to do" }] : []),
  ];
  const rows = items.map(({ item, position }) => [
    markup`${
      mayWrite &&
      markup`<span class="grip" data-item="${item.id}" aria-hidden="true" hidden>⠿</span>`
    }${name(item)}`,
    markup`${position} <span class="muted">(${item.precedence})</span> ${
      item.pinned && state("Pinned", "calm")
    }`,
    markup`${item.estimatedCost}, ${text(item.kind)}`,
    markup`${text(item.addedBy)}, ${time(item.addedAt, now)}`,
    ...(mayWrite ? [levers(item)] : []),
  ]);
  return table("Queue", columns, rows);
}

function history(items: readonly RankedItem[], now: number): Html {
  const columns = [
    { label: "Item" },
    { label: "What became of it" },
    { label: "When" },
  ];
  const rows = items.map(({ item }) => [
    name(item),
    item.status === "removed"
      ? markup`removed by ${text(item.removedBy ?? "")}: ${
        text(item.removalReason ?? "")
      }`
      : item.startedSessionId === null
      ? markup`its session was deleted`
      : sessionLink(item.startedSessionId),
    time(item.startedAt ?? item.removedAt, now),
  ]);
  return table("Items", columns, rows);
}

function name(item: RankedItem["item"]): Html {
  return markup`<strong>${text(item.key)}</strong> ${text(item.title)}${
    item.issueUrl !== null &&
    markup`<br><span class="muted">${text(item.issueUrl)}</span>`
  }`;
}

function levers({ id, key, pinned }: RankedItem["item"]): Html {
  const action = (verb: string) => `${PATHS.backlog}/${id}/${verb}`;
  const button = (verb: string, label: string) =>
    markup`<form method="post" action="${
      action(verb)
    }"><button type="submit" class="quiet" aria-label="${label}: ${key}">${label}</button></form>`;
  return markup`
<details class="levers"><summary>Change<span class="unseen"> ${
    text(key)
  }</span></summary>
  ${pinned ? button("unpin", "Unpin") : button("pin", "Pin here")}
  ${button("top", "To the top")}
  <form method="post" action="${action("place")}">
    <label>Place <input name="precedence" inputmode="numeric" required size="8"></label>
    <button type="submit" class="quiet">Put there</button>
  </form>
  ${button("start", "Start now")}
  <form method="post" action="${action("remove")}">
    <label>Reason <input name="reason" required maxlength="1000" dir="auto"></label>
    <button type="submit" class="quiet">Remove</button>
  </form>
</details>`;
}
