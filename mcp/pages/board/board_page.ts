/**
 * `/board`: the sessions of this server, what needs a person first.
 *
 * @module
 */
import {
  type BoardCard,
  type BoardCategory,
  readCards,
  readCategories,
} from "../../../store/board/mod.ts";
import { listRootKeys } from "../../../store/session_reads/mod.ts";
import {
  readClassOverrides,
  SESSION_STATUSES,
} from "../../../store/sessions/mod.ts";
import type { Services } from "../../services.ts";
import { text } from "../format.ts";
import { LIVE_SCRIPTS, type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { link, note } from "../parts.ts";
import type { Person } from "../person.ts";
import type { Query } from "../query.ts";
import { type AskedFilter, boardFilterOf } from "./board_filter.ts";
import { cardItem, type CardLook, placeOf, sectionOf } from "./card.ts";

/** Cards of a board at most. */
export const MAX_CARDS = 1_000;

const STATUS_WORDS: Readonly<Record<string, string>> = {
  running: "Running",
  waiting: "Waiting",
  needs_input: "Needs input",
  failed: "Failed",
  archived: "Archived",
};

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function boardPage(
  { store }: Services,
  query: Query,
  { now, person }: { readonly now: number; readonly person: Person },
): Promise<Page> {
  const asked = boardFilterOf(query);
  const db = await store.db();
  const [cards, categories, overrides, roots, [clock]] = await Promise.all([
    readCards(db, asked.filter, { limit: MAX_CARDS + 1 }),
    readCategories(db),
    readClassOverrides(db),
    listRootKeys(db),
    db.read<{ now: Date }>("select now() as now"),
  ]);
  const look: CardLook = {
    now,
    overrides,
    categories: new Map(categories.map(({ id, name }) => [id, name])),
  };
  const shown = cards.slice(0, MAX_CARDS);
  const feed = link(PATHS.boardFeed, {
    ...asked.query,
    since: clock?.now.toISOString(),
  });
  const bySection = Map.groupBy(
    shown,
    (card) => sectionOf(card, look.categories),
  );
  return {
    title: "Board",
    isBroad: true,
    script: LIVE_SCRIPTS.board,
    body: markup`
<div class="bar">
  ${
      person.barred === undefined &&
      markup`<a class="button" id="new" href="${PATHS.newSession}">Start a session</a>`
    }
  <a href="${PATHS.categories}">Categories</a>
  <p class="muted" id="live" role="status">Load the page again for what is new.</p>
</div>
${form(asked, roots)}
${
      cards.length > MAX_CARDS &&
      note(
        "warn",
        `There are more than ${MAX_CARDS} sessions: these are the ones that changed last. Narrow them down to see the others.`,
      )
    }
<p class="empty" id="nothing"${
      shown.length > 0 && " hidden"
    }>No session is here.</p>
<div id="board" data-feed="${feed}"${
      person.barred !== undefined && markup` class="reader"`
    }>
${
      sections(categories).map(([key, title]) =>
        section(key, title, { cards: bySection.get(key) ?? [], look })
      )
    }
</div>
${KEYS}`,
  };
}

/** Sections in their order. */
function sections(
  categories: readonly BoardCategory[],
): readonly (readonly [key: string, title: string])[] {
  return [
    ["needs", "Needs you"],
    ...categories.map(({ id, name }) => [`c${id}`, name] as const),
    ["c0", categories.length === 0 ? "Under way" : "Uncategorized"],
    ["clients", "Sessions of clients"],
    ["archived", "Archived"],
  ];
}

function section(
  key: string,
  title: string,
  { cards, look }: {
    readonly cards: readonly BoardCard[];
    readonly look: CardLook;
  },
): Html {
  const sorted = cards.map((card) => ({ card, place: placeOf(card) }))
    .sort((a, b) => a.place < b.place ? -1 : 1);
  return markup`
<section class="lane" id="lane-${key}" aria-labelledby="h-${key}"${
    cards.length === 0 && " hidden"
  }>
<h2 id="h-${key}">${text(title)} <span class="count">${cards.length}</span></h2>
<ul class="cards">${
    sorted.map(({ card }) => cardItem(card, look))
  }</ul></section>`;
}

function form({ query }: AskedFilter, roots: readonly string[]): Html {
  const option = (value: string, label: Html | string, chosen?: string) =>
    markup`<option value="${value}"${
      value === chosen && " selected"
    }>${label}</option>`;
  const check = (name: string, label: string, isOn: boolean) =>
    markup`
  <div class="check"><input type="checkbox" id="${name}" name="${name}" value="1"${
      isOn && " checked"
    }><label for="${name}">${label}</label></div>`;
  return markup`
<details class="narrow"${
    Object.values(query).some((one) => one !== undefined && one !== "") &&
    " open"
  }><summary>Find and narrow down</summary>
<form class="filter" method="get" action="${PATHS.board}" role="search">
  <div class="grow"><label for="q">Title or metadata</label>
    <input type="search" id="q" name="q" value="${query.q}" dir="auto"></div>
  <div><label for="status">State</label><select id="status" name="status">
    ${option("", "All that live")}${
    SESSION_STATUSES.map((one) =>
      option(one, STATUS_WORDS[one] ?? one, query.status)
    )
  }</select></div>
  <div><label for="root">Agent root</label><select id="root" name="root">
    ${option("", "All")}${
    roots.map((one) => option(one, text(one), query.root))
  }
  </select></div>
  ${check("favorites", "Favourites", query.favorites === "1")}
  ${check("away", "Put away", query.away === "1")}
  <div class="buttons"><button type="submit">Filter</button>
    <a href="${PATHS.board}">Show all</a></div>
</form></details>`;
}

/** What keys do, where the script runs. */
const KEYS = markup`
<details class="keys" id="keys" hidden><summary>Keys</summary>
<p><kbd>j</kbd> and <kbd>k</kbd> go from card to card, <kbd>Enter</kbd> opens it, <kbd>f</kbd> marks it, <kbd>/</kbd> goes to the search, <kbd>n</kbd> starts a session.</p>
<div class="check"><input type="checkbox" id="keys-on" checked><label for="keys-on">Single keys do this</label></div>
</details>`;
