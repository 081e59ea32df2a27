/**
 * `/sessions/new`: starts a session of what the catalog offers.
 *
 * @module
 */
import { startSession } from "../../../fleet/mod.ts";
import type { CatalogSnapshot } from "../../../catalog/mod.ts";
import { listRunners, type Runner } from "../../../store/turns/mod.ts";
import { fleetOf } from "../../fleet.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { text } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { note } from "../parts.ts";
import type { Person } from "../person.ts";
import { fieldOf } from "../read_form.ts";
import { refusalOf } from "../refusal_page.ts";

/** Fields of the form as somebody filled them in. */
type Filled = Readonly<Record<string, string | undefined>>;

const FIELDS = [
  "agent_root",
  "agent_runtime",
  "model",
  "title",
  "prompt",
  "goal",
  "scheduling_class",
];
/** A runner that was seen within so many seconds is there. */
const SEEN_SECONDS = 120;
const NOTHING = markup``;

/** The page. @throws {CatalogUnavailableError} There is no catalog at all. */
export async function newSessionPage(
  services: Services,
  { c, person }: PageCall,
): Promise<Page> {
  return await formPage(services, person, {
    filled: { agent_root: c.req.query("root") },
  });
}

/** Starts one: its page, or the form again with what is wrong. */
export async function takeNewSession(
  services: Services,
  { fields, person }: FormCall,
): Promise<Page | string> {
  const filled = Object.fromEntries(
    FIELDS.map((name) => [name, fieldOf(fields, name)]),
  );
  const klass = filled.scheduling_class;
  try {
    const { session } = await startSession(fleetOf(services), {
      agentRoot: filled.agent_root,
      agentRuntime: filled.agent_runtime,
      model: filled.model,
      title: filled.title,
      prompt: filled.prompt,
      goal: filled.goal,
      schedulingClass: klass === "spot" || klass === "priority"
        ? klass
        : undefined,
      genesis: "web_ui",
      drivenBy: "runner",
      withToken: false,
      author: person.name === null
        ? undefined
        : { name: person.name, channel: "web_ui" },
    });
    return `${PATHS.sessions}/${session.id}`;
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return await formPage(services, person, { filled, refused });
  }
}

async function formPage(
  { catalog, store }: Services,
  person: Person,
  { filled, refused }: { readonly filled: Filled; readonly refused?: string },
): Promise<Page> {
  const [snapshot, runners] = await Promise.all([
    catalog.current(),
    store.db().then((db) => listRunners(db)),
  ]);
  const seen = runners.filter(({ seenSecondsAgo }) =>
    seenSecondsAgo !== null && seenSecondsAgo < SEEN_SECONDS
  );
  return {
    title: "Start a session",
    status: refused === undefined ? 200 : 400,
    body: markup`
${
      refused !== undefined &&
      markup`<div role="alert">${note("bad", text(refused))}</div>`
    }${person.barred !== undefined && note("warn", `${person.barred}.`)}${
      seen.length === 0 &&
      note(
        "warn",
        markup`No runner was seen lately: a session waits until one is started (<code>deno task runner</code>).`,
      )
    }
${form({ snapshot, seen, filled, person })}`,
  };
}

function form(
  { snapshot, seen, filled, person }: {
    readonly snapshot: CatalogSnapshot;
    readonly seen: readonly Runner[];
    readonly filled: Filled;
    readonly person: Person;
  },
): Html {
  const roots = [...snapshot.roots.values()]
    .filter(({ userInvocable }) => userInvocable !== false);
  const offered = [...new Set(seen.flatMap(({ runtimes }) => runtimes))];
  const goals = [...snapshot.artifacts("goals").entries.values()];
  const option = (value: string, label: Html | string, chosen?: string) =>
    markup`<option value="${value}"${
      value === chosen && " selected"
    }>${label}</option>`;
  return markup`
<form class="write panel" method="post" action="${PATHS.newSession}">
  <label for="agent_root">Agent root</label>
  <select id="agent_root" name="agent_root" required>${
    roots.map(({ name, displayName }) =>
      option(
        name,
        displayName === undefined
          ? text(name)
          : markup`${text(name)} (${text(displayName)})`,
        filled.agent_root,
      )
    )
  }</select>
  <label for="prompt">What it is to do</label>
  <textarea id="prompt" name="prompt" rows="8" required maxlength="500000" dir="auto">${filled.prompt}</textarea>
  <label for="goal">Goal: what holds when it is done</label>
  <input id="goal" name="goal" value="${filled.goal}" list="goals" placeholder="The root’s" dir="auto">
  <datalist id="goals">${
    goals.map(({ name, title }) => option(name, title ?? name))
  }</datalist>
  <label for="title">Title</label>
  <input id="title" name="title" value="${filled.title}" maxlength="100" dir="auto">
  <div class="row">
    <div><label for="agent_runtime">Agent</label>
    <select id="agent_runtime" name="agent_runtime">
      ${option("", "The root’s")}${
    offered.map((one) => option(one, text(one), filled.agent_runtime))
  }</select></div>
    <div><label for="model">Model</label>
    <input id="model" name="model" value="${filled.model}" list="models" placeholder="The root’s" autocapitalize="none" spellcheck="false">
    <datalist id="models">${
    modelsOf(seen).map((one) => option(one, one))
  }</datalist></div>
    <div><label for="scheduling_class">Class</label>
    <select id="scheduling_class" name="scheduling_class">
      ${
    [["", "Priority, as what people start"], ["priority", "Priority"], [
      "spot",
      "Spot: when there is room",
    ]].map(([value = "", label = ""]) =>
      option(value, label, filled.scheduling_class)
    )
  }</select></div>
  </div>
  ${
    person.barred === undefined
      ? markup`<button type="submit">Start it</button>`
      : NOTHING
  }
</form>`;
}

/** Models that runners say their agents take. */
function modelsOf(runners: readonly Runner[]): readonly string[] {
  const models = runners.flatMap(({ hello }) =>
    Array.isArray(hello.runtimes)
      ? hello.runtimes.flatMap((one: { readonly models?: unknown }) =>
        Array.isArray(one?.models) ? one.models.map(String) : []
      )
      : []
  );
  return [...new Set(models)].sort().slice(0, 200);
}
