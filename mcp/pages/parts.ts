/**
 * Parts that several pages show: state words, panels, notes, tables and the
 * links of paging.
 *
 * @module
 */
import { PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";

/** How much a state word asks for attention. */
export type Tone = "good" | "warn" | "bad" | "calm";

/** A column of a table. */
export interface Column {
  /** Its heading. */
  readonly label: string;
  /** Whether its cells are figures. */
  readonly isFigure?: boolean;
}

/** A state word: the word says it, the colour repeats it. */
export function state(word: string, tone: Tone): Html {
  return markup`<span class="state ${tone}">${word}</span>`;
}

/** Percent of the record cap, with a word from 90 on. */
export function capShare(percent: number): Html {
  const word = percent >= 100
    ? state("Full", "bad")
    : percent >= 90 && state("Near", "warn");
  return markup`${word} ${percent} %`;
}

/** A session by its number, with the way to it. */
export function sessionLink(id: number): Html {
  return markup`<a href="${PATHS.sessions}/${id}">session ${id}</a>`;
}

/** A titled part of a page. */
export function panel(
  id: string,
  title: Html | string,
  word: Html,
  body: Html | readonly Html[],
): Html {
  return markup`
<section class="panel" aria-labelledby="${id}">
  <h2 id="${id}"><span>${title}</span> ${word}</h2>
  ${body}
</section>`;
}

/** A sentence that stands out. */
export function note(tone: Tone, body: Html | string): Html {
  return markup`<p class="note ${tone}">${body}</p>`;
}

/** Names and what they stand for. */
export function facts(
  pairs: readonly (readonly [name: string, value: Html | string])[],
): Html {
  return markup`<dl class="facts">${pairs.map(term)}</dl>`;
}

/** Large figures with their names. */
export function figures(
  pairs: readonly (readonly [name: string, value: string])[],
): Html {
  return markup`<dl class="figures">${pairs.map(term)}</dl>`;
}

function term([name, value]: readonly [string, Html | string]): Html {
  return markup`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** A table in a box of its own, which scrolls where it is too wide. */
export function table(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const mark = columns.map(({ isFigure }) =>
    isFigure === true && markup` class="figure"`
  );
  const head = columns.map(({ label }, at) =>
    markup`<th scope="col"${mark[at]}>${label}</th>`
  );
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map((cell, at) =>
      markup`<td${mark[at + 1]}>${cell}</td>`
    );
    return markup`
    <tr><th scope="row">${first}</th>${cells}</tr>`;
  });
  return markup`
<div class="scroll" role="region" aria-label="${label}" tabindex="0">
  <table>
    <thead><tr>${head}</tr></thead>
    <tbody>${body}</tbody>
  </table>
</div>`;
}

/** Links to the first and the next page. */
export function paging(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  next: string | undefined,
): Html | undefined {
  const to = (after: string | undefined) => link(path, { ...query, after });
  const isFirst = query.after === undefined;
  if (isFirst && next === undefined) return undefined;
  const first = !isFirst && markup`<a href="${to(undefined)}">First page</a>`;
  const onward = next === undefined
    ? markup`<span class="muted">This is the last page.</span>`
    : markup`<a rel="next" href="${to(next)}">Next page</a>`;
  return markup`<nav class="paging" aria-label="Paging">${first} ${onward}</nav>`;
}

/** A form that narrows what a browser shows. */
export function filterForm(
  path: string,
  { namespace, collection }: {
    readonly namespace: string | undefined;
    readonly collection: string | undefined;
  },
  more: Html,
): Html {
  return markup`
<form class="filter" method="get" action="${path}" role="search">
  <div>
    <label for="namespace">Namespace</label>
    <input id="namespace" name="namespace" value="${namespace}" autocapitalize="none" spellcheck="false">
  </div>
  <div>
    <label for="collection">Collection</label>
    <input id="collection" name="collection" value="${collection}" autocapitalize="none" spellcheck="false">
  </div>
  ${more}
  <div class="buttons">
    <button type="submit">Filter</button>
    <a href="${path}">Show all</a>
  </div>
</form>`;
}

/** A path with the query parameters that have a value. */
export function link(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] =>
      pair[1] !== undefined && pair[1] !== ""
    ),
  ).toString();
  return search === "" ? path : `${path}?${search}`;
}
