/**
 * A card of the board: its markup, the section that it belongs to, and its place
 * there.
 *
 * @module
 */
import type { BoardCard } from "../../../store/board/mod.ts";
import type { ClassOverrides } from "../../../store/sessions/mod.ts";
import { classOf } from "../../../fleet/mod.ts";
import { distance, text } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { state } from "../parts.ts";
import { standingOf, urgencyOf } from "./standing.ts";

/** What a card is drawn with beside its session. */
export interface CardLook {
  /** Classes that an operator set. */
  readonly overrides: ClassOverrides;
  /** Names of categories by number. */
  readonly categories: ReadonlyMap<number, string>;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
}

const TITLE_CHARACTERS = 100;
/** The latest moment that a place tells apart, in milliseconds since 1970. */
const LATEST_MS = 1e14;

/** The section that a card belongs to. */
export function sectionOf(
  card: BoardCard,
  categories: CardLook["categories"],
): string {
  if (card.status === "archived") return "archived";
  if (card.drivenBy === "client") return "clients";
  if (urgencyOf(card) !== undefined) return "needs";
  const { categoryId } = card;
  return categoryId !== null && categories.has(categoryId)
    ? `c${categoryId}`
    : "c0";
}

/**
 * Its place in a section, as a text by which cards are sorted: marked ones
 * first, then what asks most, what runs, what waits; the newest state first.
 */
export function placeOf(card: BoardCard): string {
  const urgency = urgencyOf(card) ?? (card.status === "running" ? 4 : 5);
  const age = String(LATEST_MS - card.stateSince.getTime()).padStart(15, "0");
  const id = String(1e15 - card.id).padStart(16, "0");
  return `${card.isFavorited ? 0 : 1}${urgency}${age}${id}`;
}

/** The card. */
export function cardItem(card: BoardCard, look: CardLook): Html {
  const { id } = card;
  const [word, tone] = standingOf(card);
  const about = [
    card.agentRootKey ?? "no root",
    ...(card.drivenBy === "client" ? [] : [
      card.agentRuntime ?? "",
      classOf(card, look.overrides).name,
    ]),
    look.categories.get(card.categoryId ?? 0) ?? "",
  ].filter(Boolean).join(" · ");
  const title = card.title.slice(0, TITLE_CHARACTERS);
  return markup`<li class="card" id="s${id}" data-place="${placeOf(card)}">
<a href="${PATHS.sessions}/${id}"><span class="muted">#${id}</span> ${
    text(title)
  }</a>
<p>${state(word, tone)} ${since(card.stateSince, look.now)}${
    card.waitUntil !== null && markup` ${until(card.waitUntil, look.now)}`
  }</p>
${
    card.failureReason !== null && card.status === "failed" &&
    markup`<p class="reason">${
      text(card.failureReason.replaceAll(/\s+/g, " "))
    }</p>`
  }<p class="muted">${text(about)}</p>
${card.status !== "archived" && levers(card)}</li>`;
}

function since(moment: Date, now: number): Html {
  const iso = moment.toISOString();
  return markup`<time class="muted" datetime="${iso}" title="${iso}">${
    distance(moment.getTime() - now)
  }</time>`;
}

function until(moment: Date, now: number): Html {
  return moment.getTime() > now
    ? markup`<span class="muted">until ${
      moment.toISOString().slice(0, 16)
    }Z</span>`
    : markup``;
}

function levers({ id, isFavorited, isOnBoard }: BoardCard): Html {
  const button = (value: string, label: string) =>
    markup`<button name="do" value="${value}" class="quiet">${label}</button>`;
  return markup`<form class="sight" method="post" action="${PATHS.sessions}/${id}/sight">
<button name="do" value="favorite" class="quiet star" aria-pressed="${
    String(isFavorited)
  }" aria-label="Favourite: session ${id}">${isFavorited ? "★" : "☆"}</button>
<details><summary aria-label="Put away: session ${id}">Put away</summary>${
    isOnBoard
      ? [
        button("hour", "For an hour"),
        button("day", "For a day"),
        button("week", "For a week"),
        button("hide", "Hide"),
      ]
      : button("show", "Back on the board")
  }</details></form>`;
}
