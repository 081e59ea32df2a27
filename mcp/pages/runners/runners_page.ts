/**
 * `/runners`: who carries out turns, what they offer, and whether they are there.
 *
 * @module
 */
import { FleetRefusalError } from "../../../fleet/mod.ts";
import {
  drainRunner,
  findRunner,
  listRunners,
  revokeRunner,
  type Runner,
} from "../../../store/turns/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { note, state, table, type Tone } from "../parts.ts";
import { fieldOf } from "../read_form.ts";
import { refusalPage } from "../refusal_page.ts";

/** One that was heard of within so many seconds is there. */
const SEEN_SECONDS = 120;

/** The page. @throws {StoreUnavailableError} No answer. */
export async function runnersPage(
  { store }: Services,
  { c, person, now }: PageCall,
): Promise<Page> {
  const includeRevoked = c.req.query("revoked") === "1";
  const runners = await listRunners(await store.db(), { includeRevoked });
  const mayWrite = person.barred === undefined;
  const columns = [
    { label: "Runner" },
    { label: "State" },
    { label: "Turns", isFigure: true },
    { label: "What it offers" },
    { label: "Last heard of" },
    ...(mayWrite ? [{ label: "What to do" }] : []),
  ];
  return {
    title: "Runners",
    body: markup`
${
      runners.length === 0
        ? note(
          "calm",
          markup`There is none: <code>deno task runner register NAME</code> makes the token of one, and <code>deno task runner --server URL</code> runs it.`,
        )
        : table(
          "Runners",
          columns,
          runners.map((one) => row(one, { mayWrite, now })),
        )
    }
<p class="muted">A runner that drains finishes its turns and takes no others. One whose token is taken away cannot report any more: its turns are lost, and tried again elsewhere. ${
      includeRevoked
        ? markup`<a href="${PATHS.runners}">Only those that have a token</a>`
        : markup`<a href="${PATHS.runners}?revoked=1">Those whose token was taken away, too</a>`
    }</p>`,
  };
}

/** Drains one, or takes its token: the page again, or what is wrong. */
export async function changeRunner(
  { store }: Services,
  { c, fields }: FormCall,
): Promise<Page | string> {
  const id = Number(c.req.param("id"));
  try {
    const db = await store.db();
    const runner = await findRunner(db, id);
    if (runner === undefined || runner.revokedAt !== null) {
      throw new FleetRefusalError(
        "not_found",
        `There is no runner ${id} with a token. Nothing was changed`,
      );
    }
    switch (fieldOf(fields, "do")) {
      case "drain":
        await drainRunner(db, id, true);
        break;
      case "undrain":
        await drainRunner(db, id, false);
        break;
      case "revoke":
        await revokeRunner(db, id);
        break;
      default:
        throw new FleetRefusalError(
          "bad_argument",
          "The form asks for none of drain, undrain and revoke. Nothing was changed",
        );
    }
    return PATHS.runners;
  } catch (error) {
    return refusalPage("Runners", error);
  }
}

function row(
  one: Runner,
  { mayWrite, now }: { readonly mayWrite: boolean; readonly now: number },
): (Html | string)[] {
  const [word, tone] = stateOf(one);
  const { version, platform } = one.hello;
  return [
    markup`${text(one.name)} <span class="muted">#${one.id}</span>${
      one.labels.length > 0 &&
      markup`<br><span class="muted">${text(one.labels.join(", "))}</span>`
    }`,
    state(word, tone),
    `${one.turns} of ${one.slots}`,
    markup`<span class="wrap">${offers(one)}<span class="muted">${
      text([version, platform].filter(Boolean).map(String).join(", "))
    }</span></span>`,
    time(one.seenAt, now),
    ...(mayWrite ? [levers(one)] : []),
  ];
}

function stateOf(one: Runner): readonly [string, Tone] {
  if (one.revokedAt !== null) return ["No token", "calm"];
  if (one.seenSecondsAgo === null) return ["Never seen", "calm"];
  if (one.seenSecondsAgo > SEEN_SECONDS) return ["Away", "bad"];
  return one.isDraining ? ["Drains", "warn"] : ["There", "good"];
}

/** Each runtime with its version and its login. */
function offers({ hello, runtimes }: Runner): Html {
  const reports = Array.isArray(hello.runtimes) ? hello.runtimes : [];
  return markup`${
    runtimes.map((name) => {
      const report = reports.find((one) => one?.name === name);
      const version = typeof report?.version === "string" ? report.version : "";
      const login = report?.login?.state === "missing" &&
        markup` ${state("No login", "warn")}`;
      return markup`<span class="offer">${text(name)} ${
        text(version)
      }${login}</span><br>`;
    })
  }`;
}

function levers({ id, name, isDraining, revokedAt }: Runner): Html {
  if (revokedAt !== null) return markup``;
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet" aria-label="${label}: ${name}">${label}</button>`;
  return markup`<form class="levers" method="post" action="${PATHS.runners}/${id}">${
    isDraining
      ? button("undrain", "Take turns again")
      : button("drain", "Drain")
  }<details><summary>Take its token<span class="unseen"> ${
    text(name)
  }</span></summary>${button("revoke", "Yes, for good")}</details></form>`;
}
