/**
 * `/memory`: what is remembered, node by node; searched, and forgotten once it
 * was shown what would be.
 *
 * @module
 */
import {
  CortexRefusalError,
  type Node,
  ROOT_NODE,
  ScopeSyntaxError,
} from "../../../cortex/words.ts";
import type { Engine, Hit, RecalledHit } from "../../../cortex/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { figure, longText, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { facts, link, note, panel } from "../parts.ts";
import { given } from "../query.ts";
import { fieldOf } from "../read_form.ts";

const PAGE_ITEMS = 30;
const TEXT_CHARACTERS = 1_200;
const MAX_NODES = 300;
const MAX_FORGOTTEN = 100;
const MAX_QUERY_CHARACTERS = 1_000;
const NOTHING = markup``;
const ID_REGEXP = /^[\w:.-]{1,80}$/;

/** What is looked at. */
interface Asked {
  readonly node: string;
  readonly query: string | undefined;
  readonly cursor: string | undefined;
}

/** The page. @throws {CortexUnavailableError} Memory does not answer. */
export async function memoryPage(
  { memory }: Services,
  { c, person, now }: PageCall,
): Promise<Page> {
  if (memory === undefined) return noMemory();
  const asked: Asked = {
    node: given(c.req.query("node")) ?? ROOT_NODE,
    query: given(c.req.query("q"))?.slice(0, MAX_QUERY_CHARACTERS),
    cursor: given(c.req.query("after")),
  };
  const engine = await memory.engine();
  const { nodes, isCut } = await engine.nodes(ROOT_NODE);
  let found: Html;
  try {
    const node = await nodeOf(asked.node);
    found = await findings(engine, node, asked, {
      mayWrite: person.barred === undefined,
      now,
    });
  } catch (error) {
    const isRefusal = error instanceof ScopeSyntaxError ||
      error instanceof CortexRefusalError;
    if (!isRefusal) throw error;
    found = markup`<div role="alert">${
      note("bad", markup`${text(error.message)}.`)
    }</div>`;
  }
  const more = nodes.length - MAX_NODES;
  return {
    title: "Memory",
    body: markup`
${form(asked)}
<details class="panel"${
      asked.query === undefined && asked.node === ROOT_NODE && " open"
    }><summary>Nodes that hold something: ${
      figure(nodes.length)
    }</summary><ul class="nodes">${
      nodes.slice(0, MAX_NODES).map(({ node, kinds, isRetired }) =>
        markup`<li><a href="${link(PATHS.memory, { node })}">${
          text(node)
        }</a> <span class="muted">${kinds.join(", ")}${
          isRetired && ", below the retired root"
        }</span></li>`
      )
    }</ul>${
      (more > 0 || isCut) && markup`<p class="muted">and others</p>`
    }</details>
${found}`,
  };
}

/** Shows what would be forgotten, or forgets it. */
export async function forgetOnPage(
  { memory, log }: Services,
  { fields, lists, person, now }: FormCall,
): Promise<Page | string> {
  if (memory === undefined) return noMemory();
  const ids = [...new Set(lists.id ?? [])].filter((id) => ID_REGEXP.test(id))
    .slice(0, MAX_FORGOTTEN);
  const node = fieldOf(fields, "node") ?? ROOT_NODE;
  const back = link(PATHS.memory, { node });
  if (ids.length === 0) return back;
  const engine = await memory.engine();
  if (fieldOf(fields, "do") !== "forget") {
    const report = await engine.forget({ ids, preview: true });
    const got = await engine.get({ ids, textLimit: TEXT_CHARACTERS });
    return previewPage(got.items, {
      ids: report.matched,
      node,
      back,
      now,
    });
  }
  const report = await engine.forget({
    ids,
    reason: `forgotten on the pages${
      person.name === null ? "" : ` by ${person.name}`
    }`,
  });
  log.info("page_forget", {
    user: person.name ?? "api key",
    forgotten: report.forgotten.length,
  });
  return {
    title: "Forgotten",
    body: markup`${
      report.left.length === 0
        ? note("good", `Forgotten: ${figure(report.forgotten.length)}.`)
        : note(
          "warn",
          `Forgotten: ${figure(report.forgotten.length)}; still seen: ${
            figure(report.left.length)
          }. Try again.`,
        )
    }${
      report.restored.length > 0 &&
      note(
        "calm",
        `What they had replaced comes again: ${
          figure(report.restored.length)
        }.`,
      )
    }<p><a href="${back}">To the memory</a></p>`,
  };
}

function noMemory(): Page {
  return {
    title: "Memory",
    status: 404,
    body: note("calm", "This server keeps no memory."),
  };
}

/** Loads what reads nodes with the first page that needs it. */
async function nodeOf(given: string): Promise<Node> {
  const { parseNode } = await import("../../../cortex/layout/mod.ts");
  return parseNode(given);
}

function form({ node, query }: Asked): Html {
  return markup`
<form class="filter" method="get" action="${PATHS.memory}" role="search">
  <div><label for="node">Node</label>
    <input id="node" name="node" value="${node}" autocapitalize="none" spellcheck="false"></div>
  <div class="grow"><label for="q">What to look for, in words</label>
    <input type="search" id="q" name="q" value="${query}" dir="auto"></div>
  <div class="buttons"><button type="submit">Look</button>
    <a href="${PATHS.memory}">Begin anew</a></div>
</form>`;
}

interface ItemLook {
  readonly mayWrite: boolean;
  readonly now: number;
}

async function findings(
  engine: Engine,
  node: Node,
  { query, cursor }: Asked,
  look: ItemLook,
): Promise<Html> {
  const { exactly } = await import("../../../cortex/layout/mod.ts");
  const below = { ...exactly(node), descendants: true };
  const filter = { reach: below };
  if (query === undefined) {
    const { items, nextCursor } = await engine.list({
      filter,
      limit: PAGE_ITEMS,
      cursor,
      textLimit: TEXT_CHARACTERS,
      withReplaced: true,
    });
    return markup`${list(items, node, look)}${
      nextCursor !== undefined &&
      markup`<nav class="paging" aria-label="Paging"><a rel="next" href="${
        link(PATHS.memory, { node, after: nextCursor })
      }">Next page</a></nav>`
    }`;
  }
  const found = await engine.recall({
    query,
    filter,
    limit: PAGE_ITEMS,
    textLimit: TEXT_CHARACTERS,
  });
  return markup`${
    found.repaired.map(({ word, instead }) =>
      note(
        "calm",
        markup`Nothing holds “${text(word)}”; looked for instead: ${
          text(instead.join(", "))
        }`,
      )
    )
  }${
    found.isRankingCut &&
    note("warn", "More matches than is ranked: use rarer words.")
  }${
    found.items.length > 1 &&
    markup`<p class="muted">The best first: a rare word counts more than one that stands everywhere, words side by side more than apart, and of equals the newer comes first.</p>`
  }${list(found.items, node, look)}`;
}

function list(
  items: readonly (Hit | RecalledHit)[],
  node: string,
  look: ItemLook,
): Html {
  if (items.length === 0) {
    return markup`<p class="empty">Nothing is remembered here.</p>`;
  }
  const shown = markup`<ol class="records">${
    items.map((one) => item(one, look))
  }</ol>`;
  return look.mayWrite
    ? markup`<form method="post" action="${PATHS.memory}/forget"><input type="hidden" name="node" value="${node}">${shown}<p class="at-hand"><button name="do" value="preview" class="quiet">Forget what is marked…</button></p></form>`
    : shown;
}

function item(hit: Hit | RecalledHit, { mayWrite, now }: ItemLook): Html {
  const { id, item: { kind, meta }, score, characters } = hit;
  const best = "passage" in hit ? hit.passage : undefined;
  // A short item is its own best passage: nobody reads it twice.
  const passage = best?.text.trim() === hit.text.trim() ? undefined : best;
  const sameAs = "sameAs" in hit ? hit.sameAs : [];
  const isCut = characters > [...hit.text].length;
  return markup`<li class="panel"><p class="check">${
    mayWrite
      ? markup`<input type="checkbox" id="f-${id}" name="id" value="${id}"><label for="f-${id}"><span class="unseen">Mark </span>${kind} <code>${id}</code></label>`
      : markup`<span>${kind} <code>${id}</code></span>`
  }</p>
<p class="long">${longText(hit.text)}${
    isCut &&
    markup` <span class="muted">… ${figure(characters)} characters</span>`
  }</p>${
    passage !== undefined &&
    markup`<p class="note calm">Fits best, from character ${
      figure(passage.offset)
    }: ${text(passage.text.slice(0, TEXT_CHARACTERS))}</p>`
  }${
    facts([
      ["Node", text(meta.node)],
      ...(score === 0 ? [] : [["How well it fits", score.toFixed(3)] as const]),
      ...reasonsOf(hit),
      ...(sameAs.length === 0
        ? []
        : [["Says the same", text(sameAs.join(", "))] as const]),
      ["Stored", time(hit.recordedAt ?? null, now)],
      ...(hit.replacedBy === undefined
        ? []
        : [["Replaced by", text(hit.replacedBy)] as const]),
    ])
  }</li>`;
}

/** Why it stands where it does. */
function reasonsOf(
  hit: Hit | RecalledHit,
): readonly (readonly [name: string, value: Html | string])[] {
  const reasons = "reasons" in hit ? hit.reasons : undefined;
  if (reasons === undefined) return [];
  const { words, coverage, likeness } = reasons;
  return [
    [
      "Words that it has",
      words.length === 0 ? "none" : text(words.join(", ")),
    ],
    ["Of the question, by weight", `${Math.round(coverage * 100)} %`],
    ...(likeness === 0
      ? []
      : [["Likeness of meaning", likeness.toFixed(3)] as const]),
  ];
}

function previewPage(
  items: readonly Hit[],
  { ids, node, back, now }: {
    readonly ids: readonly string[];
    readonly node: string;
    readonly back: string;
    readonly now: number;
  },
): Page {
  return {
    title: "Forget",
    body: markup`
${
      ids.length === 0
        ? note("calm", "None of them is there any more.")
        : panel(
          "h-forget",
          `To be forgotten for good: ${figure(ids.length)}`,
          NOTHING,
          [
            markup`<ol class="records">${
              items.map((one) => item(one, { mayWrite: false, now }))
            }</ol>`,
            markup`<form class="buttons" method="post" action="${PATHS.memory}/forget">${
              ids.map((id) =>
                markup`<input type="hidden" name="id" value="${id}">`
              )
            }<input type="hidden" name="node" value="${node}"><button name="do" value="forget">Forget for good</button></form>`,
          ],
        )
    }<p><a href="${back}">Leave them</a></p>`,
  };
}
