/**
 * The browsers that are told of notices while no page is open: this one asks
 * for it or takes it back, and any of them is forgotten.
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
import type { Services } from "../../services.ts";
import type { FormCall } from "../door.ts";
import { figure, text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { fieldOf } from "../read_form.ts";
import { refusalPage } from "../refusal_page.ts";

/** Draws it. @throws {StoreUnavailableError} No answer. */
export async function pushPanel(
  services: Services,
  now: number,
): Promise<Html> {
  const [key, browsers] = await Promise.all([
    pushKey(services),
    listBrowsers(services),
  ]);
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
${
    browsers.length > 0 &&
    markup`<details class="levers"><summary>Browsers that are told: ${
      figure(browsers.length)
    }</summary><ul>${
      browsers.map(({ id, endpoint, since }) =>
        markup`<li><form method="post" action="${PATHS.push}"><input type="hidden" name="id" value="${id}"><span>Browser ${id}, by ${
          text(hostOf(endpoint))
        }, since ${
          time(since, now)
        }</span> <button name="do" value="forget" class="quiet" aria-label="Forget browser ${id}">Forget</button></form></li>`
      )
    }</ul></details>`
  }</section>`;
}

/** Subscribes or forgets a browser: where to go then, or what is wrong. */
export async function changePush(
  services: Services,
  { fields, person }: FormCall,
): Promise<Page | string> {
  const endpoint = fieldOf(fields, "endpoint") ?? "";
  const wish = fieldOf(fields, "do");
  try {
    switch (wish) {
      case "subscribe":
        await subscribe(services, {
          endpoint,
          p256dh: fieldOf(fields, "p256dh") ?? "",
          auth: fieldOf(fields, "auth") ?? "",
        });
        break;
      case "unsubscribe":
        // It may have been forgotten before: what is wished for is so.
        await unsubscribe(services, endpoint);
        break;
      case "forget":
        await forgetBrowser(services, Number(fieldOf(fields, "id") ?? 0));
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

/** What the page's script knows its own browser by: endpoints are secrets. */
function nameOf(endpoint: string): string {
  return createHash("sha256").update(endpoint).digest("hex").slice(0, 16);
}

function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? "an unknown push service";
}
