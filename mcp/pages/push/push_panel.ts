/**
 * The browsers that are told of notices while no page is open: this one asks
 * for it or takes it back, and others of the same person are forgotten.
 *
 * @module
 */
import { createHash } from "node:crypto";
import {
  FleetRefusalError,
  forgetBrowser,
  listBrowsers,
  pushKey,
  subscribe,
  unsubscribe,
} from "../../../fleet/mod.ts";
import { fleetOf } from "../../fleet.ts";
import type { Services } from "../../services.ts";
import { barredPage, type FormCall } from "../door.ts";
import { figure, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import type { Person } from "../person.ts";
import { fieldOf } from "../read_form.ts";
import { refusalPage } from "../refusal_page.ts";

/**
 * Draws it. Who may only read sees the browsers that they subscribed while they
 * might: to be told no more is theirs to say; undefined where there are none.
 *
 * @throws {StoreUnavailableError} No answer.
 */
export async function pushPanel(
  services: Services,
  { person, now }: Pick<FormCall, "person" | "now">,
): Promise<Html | undefined> {
  const browsers = await endableBrowsers(services, person);
  if (person.barred !== undefined) {
    return browsers.length === 0 ? undefined : markup`
<section class="panel" id="push" aria-labelledby="h-push">
<h2 id="h-push">Told while no page is open</h2>
${browserList(browsers, person, now)}</section>`;
  }
  const key = await pushKey(services);
  const known = browsers.map(({ endpoint }) => nameOf(endpoint)).join(" ");
  return markup`
<section class="panel" id="push" aria-labelledby="h-push" data-key="${key}" data-known="${known}" data-worker="${PATHS.pushWorker}">
<h2 id="h-push">Told while no page is open</h2>
<p id="push-state" role="status">A browser is told by Web Push, which takes scripts.</p>
<form class="buttons" id="push-form" method="post" action="${PATHS.push}">${
    ["do", "endpoint", "p256dh", "auth"].map((name) =>
      markup`<input type="hidden" name="${name}">`
    )
  }<button type="button" id="push-on" hidden>Tell this browser</button>
<button type="button" id="push-off" class="quiet" hidden>Stop telling this browser</button></form>
${browsers.length > 0 && browserList(browsers, person, now)}</section>`;
}

/** Those that a person may end; who may only read, their own. */
async function endableBrowsers(
  services: Services,
  { name, barred }: Person,
): Promise<readonly TellableBrowser[]> {
  if (barred !== undefined && name === null) return [];
  const browsers = await listBrowsers(fleetOf(services), name);
  return barred === undefined
    ? browsers
    : browsers.filter(({ owner }) => owner === name);
}

function browserList(
  browsers: readonly TellableBrowser[],
  person: Person,
  now: number,
): Html {
  return markup`<details class="levers"><summary>${
    person.name === null
      ? "Browsers that are told"
      : "Your browsers that are told"
  }: ${figure(browsers.length)}</summary><ul>${
    browsers.map(({ id, endpoint, owner, since }) =>
      markup`<li><form method="post" action="${PATHS.push}"><input type="hidden" name="id" value="${id}"><span>Browser ${id}, by ${
        text(hostOf(endpoint))
      }${whose(owner, person)}, since ${
        time(since, now)
      }</span> <button name="do" value="forget" class="quiet" aria-label="Forget browser ${id}">Forget</button></form></li>`
    )
  }</ul></details>`;
}

/** Subscribes or forgets a browser: where to go then, or what is wrong. */
export async function changePush(
  services: Services,
  { fields, person }: FormCall,
): Promise<Page | string> {
  const endpoint = fieldOf(fields, "endpoint") ?? "";
  const wish = fieldOf(fields, "do");
  const fleet = fleetOf(services);
  const id = Number(fieldOf(fields, "id") ?? 0);
  if (person.barred !== undefined) {
    const own = await endableBrowsers(services, person);
    const isOwn = wish === "forget" && own.some((one) => one.id === id);
    if (!isOwn) return barredPage(person.barred);
  }
  try {
    switch (wish) {
      case "subscribe":
        await subscribe(fleet, {
          endpoint,
          p256dh: fieldOf(fields, "p256dh") ?? "",
          auth: fieldOf(fields, "auth") ?? "",
        }, person.name);
        break;
      case "unsubscribe":
        // It may have been forgotten before: what is wished for is so.
        await unsubscribe(fleet, endpoint, person.name);
        break;
      case "forget":
        await forgetBrowser(fleet, id, person.name);
        break;
      default:
        throw new FleetRefusalError(
          "bad_argument",
          "The form asks for nothing that this page does. Nothing was changed",
        );
    }
    services.log.info("page_push", {
      user: person.name ?? "api key",
      what: wish,
    });
    return `${PATHS.notifications}#push`;
  } catch (error) {
    return refusalPage("Notifications", error);
  }
}

type TellableBrowser = Awaited<ReturnType<typeof listBrowsers>>[number];

/** What the page's script knows its own browser by: endpoints are secrets. */
function nameOf(endpoint: string): string {
  return createHash("sha256").update(endpoint).digest("hex").slice(0, 16);
}

/** Whose it is, where that is not plain. */
function whose(owner: string | null, { name }: Person): Html | undefined {
  if (owner === name) return undefined;
  return owner === null
    ? markup`, subscribed with an API key`
    : markup`, of ${text(owner)}`;
}

function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? "an unknown push service";
}
