/**
 * `/sessions/ID/archive`: archives a session, once it was said what would be
 * lost.
 *
 * @module
 */
import { archiveSession } from "../../../fleet/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { figure, text } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { note } from "../parts.ts";
import { fieldOf } from "../read_form.ts";
import { refusalPage } from "../refusal_page.ts";
import { readSession, type SessionReading } from "./read_session.ts";

/** Messages and files that are named. */
const MAX_NAMED = 20;
const PREVIEW_CHARACTERS = 160;

/** The page. */
export async function archivePage(
  services: Services,
  { c, person }: PageCall,
  changed = false,
): Promise<Page> {
  const id = Number(c.req.param("id"));
  const reading = await readSession(services, id);
  if (reading === undefined) {
    return {
      title: "Session",
      status: 404,
      body: note("bad", `There is no session ${id}.`),
    };
  }
  const { session } = reading;
  const lost = lossesOf(reading);
  return {
    title: `Archive #${id} ${session.title}`,
    status: changed ? 409 : 200,
    body: markup`
${
      changed &&
      markup`<div role="alert">${
        note("bad", "It changed since you looked. Nothing was changed by you.")
      }</div>`
    }${
      session.status === "archived"
        ? note("calm", "It is archived already.")
        : markup`
<p>It ends: its token opens nothing any more, and it stays as a record. It can be brought back.</p>
${
          lost.length === 0
            ? note("good", "Nothing would be lost.")
            : markup`<div class="note warn"><strong>What would be lost</strong><ul>${lost}</ul></div>`
        }
${
          person.barred === undefined
            ? markup`<form class="buttons" method="post" action="${PATHS.sessions}/${id}/archive">
  <input type="hidden" name="seen" value="${seenOf(reading)}">
  <button type="submit">${
              lost.length === 0 ? "Archive it" : "Archive it all the same"
            }</button>
  <a href="${PATHS.sessions}/${id}">Leave it</a>
</form>`
            : note("warn", `${person.barred}.`)
        }`
    }`,
  };
}

/** Archives it. What would be lost was said on the page before. */
export async function takeArchive(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  const id = Number(call.c.req.param("id"));
  const reading = await readSession(services, id);
  if (
    reading !== undefined &&
    fieldOf(call.fields, "seen") !== seenOf(reading)
  ) return await archivePage(services, call, true);
  try {
    await archiveSession(services, id, { isForced: true });
    return `${PATHS.sessions}/${id}`;
  } catch (error) {
    return refusalPage("Archive", error);
  }
}

/** Differs when something else would be lost. */
function seenOf({ session, queue, turns, wakes }: SessionReading): string {
  const [turn] = turns;
  return [session.stateNo, queue.pending, turn?.id, turn?.phase, wakes.length]
    .join(".");
}

function lossesOf(
  { messages, queue, turns, wakes, questions }: SessionReading,
): readonly Html[] {
  const pending = messages.filter(({ status }) => status === "pending");
  const underWay = turns.find(({ phase }) =>
    phase !== "ended" && phase !== "queued"
  );
  const git = turns.find(({ gitAfter }) => gitAfter !== null)?.gitAfter;
  const unpushed = Number(git?.unpushed ?? 0);
  const dirty = Number(git?.dirty_count ?? 0);
  const open = questions.filter(({ status }) => status === "pending").length;
  return [
    pending.length > 0 &&
    markup`<li>Messages that were not said: ${figure(queue.pending)}<ul>${
      pending.slice(0, MAX_NAMED).map(({ content }) =>
        markup`<li>${text(content.slice(0, PREVIEW_CHARACTERS))}${
          content.length > PREVIEW_CHARACTERS && "…"
        }</li>`
      )
    }</ul></li>`,
    underWay !== undefined &&
    markup`<li>Turn ${underWay.ordinal}, which is under way and would be ended</li>`,
    unpushed > 0 &&
    markup`<li>Commits that are on no remote branch: ${
      figure(unpushed)
    }. Its tree is removed some days after</li>`,
    dirty > 0 &&
    markup`<li>Files that are not committed: ${figure(dirty)}</li>`,
    wakes.length > 0 &&
    markup`<li>Wakes that are armed: ${figure(wakes.length)}</li>`,
    open > 0 && markup`<li>Questions without an answer: ${figure(open)}</li>`,
  ].filter((one): one is Html => one !== false);
}
