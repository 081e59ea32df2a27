/**
 * `/gate_decisions/ID`: one decision with its entry, what people said of it, and
 * the form in which they say it.
 *
 * @module
 */
import {
  feedbackOn,
  findDecision,
  type GateDecision,
  type GateFeedback,
  readPayloads,
} from "../../../store/gate/mod.ts";
import type { Services } from "../../services.ts";
import { json, longText, text, time } from "../format.ts";
import { type Page, type PageStatus, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { facts, note, panel, sessionLink } from "../parts.ts";
import type { Person } from "../person.ts";
import { heading } from "./decisions_page.ts";

/** A form that was refused, as it was filled in. */
export interface RefusedForm {
  /** What is wrong. */
  readonly message: string;
  /** Its fields. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

const NOTHING = markup``;

/** The page. @throws {StoreUnavailableError} No answer. */
export async function decisionPage(
  { store }: Services,
  id: number,
  { now, person, refused, status = 200 }: {
    readonly now: number;
    readonly person: Person;
    readonly refused?: RefusedForm;
    readonly status?: PageStatus;
  },
): Promise<Page> {
  const db = await store.db();
  const [decision, payloads, said] = await Promise.all([
    findDecision(db, id),
    readPayloads(db, [id]),
    feedbackOn(db, [id]),
  ]);
  if (decision === undefined) {
    return {
      title: "Gate decision",
      status: 404,
      body: note("bad", `There is no decision ${id} in the ledger.`),
    };
  }
  return {
    title: `Gate decision ${id}`,
    status,
    body: markup`
${
      panel("decision", heading(decision), NOTHING, [
        head(decision, now),
        json(payloads.get(id) ?? {}),
      ])
    }
${
      panel("feedback", "What people said", NOTHING, [
        markup`${said.map(item)}`,
        form(id, person, refused),
      ])
    }`,
  };
}

function head(one: GateDecision, now: number): Html {
  const words = (value: string | null) => value === null ? "" : text(value);
  return facts([
    ["Gate", one.gate],
    ["Surface", text(one.surface)],
    ["Verdict", words(one.decision)],
    ["Day", one.decidedAt ?? ""],
    ["Artifact", words(one.artifactUrl)],
    ["Producing session", words(one.producingSessionUrl)],
    ["Recorded", time(one.createdAt, now)],
    [
      "Recorded by",
      one.writingSessionId === null
        ? "no session"
        : sessionLink(one.writingSessionId),
    ],
  ]);
}

function item(one: GateFeedback): Html {
  const author = one.author === null ? "somebody" : text(one.author);
  return markup`
<article class="said">
  <h3>${text(one.verdict)}</h3>
  <p class="muted">${author}, ${one.receivedAt}${
    one.channel === "imported" && ", taken over from before"
  }</p>
  ${one.note !== null && markup`<p class="long">${longText(one.note)}</p>`}
</article>`;
}

function form(
  id: number,
  person: Person,
  refused: RefusedForm | undefined,
): Html {
  if (person.barred !== undefined) {
    return markup`<p class="muted">${person.barred}.</p>`;
  }
  const { verdict, note: words, author } = refused?.fields ?? {};
  return markup`
<form class="write" method="post" action="${PATHS.gate}/${id}/feedback">
  ${
    refused !== undefined &&
    markup`<div role="alert">${note("bad", `${refused.message}.`)}</div>`
  }
  <label for="verdict">What it should have been</label>
  <input id="verdict" name="verdict" value="${verdict}" list="verdicts" required dir="auto">
  <datalist id="verdicts">
    <option value="should-have-held"><option value="should-have-merged">
    <option value="should-have-proceeded"><option value="mischaracterized">
  </datalist>
  <label for="note">Why</label>
  <textarea id="note" name="note" rows="5" dir="auto">${words}</textarea>
  ${
    person.name === null
      ? markup`<label for="author">Your name</label>
  <input id="author" name="author" value="${author}" autocomplete="name" dir="auto">
  <p class="muted">The ledger only grows: what is said here stays. Whoever holds an API key of this server can sign in, so a name is what its writer says it is.</p>`
      : markup`<p class="muted">The ledger only grows: what is said here stays, in the name of ${person.name}.</p>`
  }
  <button type="submit">Give feedback</button>
</form>`;
}
