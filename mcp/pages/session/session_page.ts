/**
 * `/sessions/ID`: one session, as it goes.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../../catalog/mod.ts";
import type { Services } from "../../services.ts";
import { longText, text } from "../format.ts";
import { LIVE_SCRIPTS, type Page, type PageStatus, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { link, note, panel } from "../parts.ts";
import type { Person } from "../person.ts";
import { familyDrawing } from "./family_drawing.ts";
import { panelsOf, type RefusedAnswer } from "./panels.ts";
import { readSession, type SessionReading } from "./read_session.ts";
import { placeOf, placeText, TranscriptReader } from "./read_transcript.ts";
import { settingsPanel } from "./settings_panel.ts";

/** What a form was refused with. */
export interface Refused {
  /** Why. */
  readonly message: string;
  /** What was written to be told. */
  readonly draft?: string;
  /** What was written as an answer. */
  readonly answer?: RefusedAnswer;
}

/** How the page is shown. */
export interface SessionPageCall {
  /** Who looks. */
  readonly person: Person;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
  /** Where the transcript ends, `TURN.SEQ`; its newest without. */
  readonly before?: string | undefined;
  /** What a form was refused with, and what was written in it. */
  readonly refused?: Refused;
  /** @default {200} */
  readonly status?: PageStatus;
}

const NOTHING = markup``;

/** The page. @throws {StoreUnavailableError} No answer. */
export async function sessionPage(
  services: Services,
  id: number,
  call: SessionPageCall,
): Promise<Page> {
  const { person, now, refused, status = 200 } = call;
  const db = await services.store.db();
  const before = placeOf(call.before);
  const mayWrite = person.barred === undefined;
  const transcript = new TranscriptReader(id, { mayWrite });
  const [reading, said, catalog] = await Promise.all([
    readSession(services, id),
    transcript.begin(db, before),
    catalogOf(services),
  ]);
  if (reading === undefined) {
    return {
      title: "Session",
      status: 404,
      body: note("bad", `There is no session ${id}.`),
    };
  }
  const panels = panelsOf(reading, {
    mayWrite,
    now,
    answer: refused?.answer,
  });
  const { session, provenance } = reading;
  const path = `${PATHS.sessions}/${id}`;
  const feed = link(`${path}/feed`, {
    first: said.first && placeText(said.first),
    last: said.place && placeText(said.place),
  });
  return {
    title: `#${id} ${session.title}`,
    status,
    isBroad: true,
    // What is before is over: nothing of it is live.
    ...(before === undefined ? { script: LIVE_SCRIPTS.session } : {}),
    body: markup`
<p class="muted"><a href="${PATHS.board}">Board</a> <span id="live" role="status">Load the page again for what is new.</span></p>
<nav class="views" aria-label="On this page"><ul>
  <li><a href="#queue">Its newest words, and the queue</a></li>
  <li><a href="#h-settings">Goal and settings</a></li>
  <li><a href="#turns">Turns</a></li>
</ul></nav>
${
      refused !== undefined &&
      markup`<div role="alert">${note("bad", text(refused.message))}</div>`
    }
<div class="session" data-feed="${feed}">
<div class="now">${panels.standing}</div>
<div class="talk">
  ${panels.questions}
  <section aria-labelledby="h-transcript"><h2 id="h-transcript">Transcript</h2>
  ${
      said.hasOlder && said.first !== undefined &&
      markup`<p><a href="${
        link(path, { before: placeText(said.first) })
      }">Older</a></p>`
    }${before !== undefined && markup`<p><a href="${path}">The newest</a></p>`}
  <ol id="transcript">${said.items.map(({ item }) => item)}</ol>
  ${
      said.items.length === 0 &&
      markup`<p class="muted" id="silent">Nothing was said yet.</p>`
    }</section>
  ${panels.queue}
  ${tellForm(reading, { mayWrite, person, draft: refused?.draft })}
</div>
<div class="about">
  ${panels.particulars}
  ${settingsPanel(reading, { catalog, mayWrite })}
  ${panels.git}
  ${
      panel("h-family", "Family", NOTHING, [
        familyDrawing(provenance.family, id),
      ])
    }
  ${people(reading)}
</div>
</div>
${panels.turns}`,
  };
}

/** The catalog, where it can be read: the page is of use without it. */
async function catalogOf(
  { catalog }: Services,
): Promise<CatalogSnapshot | undefined> {
  try {
    return await catalog.current();
  } catch {
    return undefined;
  }
}

function tellForm(
  { session }: SessionReading,
  { mayWrite, person, draft }: {
    readonly mayWrite: boolean;
    readonly person: Person;
    readonly draft: string | undefined;
  },
): Html {
  if (!mayWrite) return markup`<p class="muted">${person.barred}.</p>`;
  if (session.status === "archived") {
    return markup`<p class="muted">It is archived: bring it back to tell it something.</p>`;
  }
  return markup`
<form class="write panel tell" method="post" action="${PATHS.sessions}/${session.id}/tell">
  <label for="tell">Tell it${
    person.name !== null && markup` as ${text(person.name)}`
  }</label>
  <textarea id="tell" name="content" rows="4" required dir="auto">${draft}</textarea>
  <div class="buttons"><button name="do" value="queue">Tell</button>
  <button name="do" value="now" class="quiet">Interrupt with it</button></div>
</form>`;
}

/** What people said in the family. */
function people({ provenance }: SessionReading): Html {
  const { record } = provenance;
  if (record.newest.length === 0) return NOTHING;
  return panel("h-people", "What people said", NOTHING, [
    markup`<ol class="said-list">${
      record.newest.slice(0, 10).map((one) =>
        markup`<li><strong>${text(one.author)}</strong> <span class="muted">${
          one.occurredAt.toISOString().slice(0, 16).replace("T", " ")
        }${
          !one.isHere &&
          markup`, to <a href="${PATHS.sessions}/${one.sessionId}">#${one.sessionId}</a>`
        }</span><p class="long">${longText(one.content.slice(0, 500))}${
          one.content.length > 500 && "…"
        }</p></li>`
      )
    }</ol>`,
  ]);
}
