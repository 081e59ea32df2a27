/**
 * Takes the form with which a person marks a card, or puts it away.
 *
 * @module
 */
import {
  FleetRefusalError,
  setVisibility,
  toggleFavorite,
  UNRESTRICTED,
} from "../../../fleet/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall } from "../door.ts";
import type { Page } from "../layout.ts";
import { refusalPage } from "../refusal_page.ts";
import { fieldOf } from "../read_form.ts";
import { ownPath } from "../sign_in.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** How long a snooze is, by its button. */
const SNOOZES: Readonly<Record<string, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
};

/** Does it: the page that it came from, or what is wrong. */
export async function setSight(
  services: Services,
  { c, fields, now }: FormCall,
): Promise<Page | string> {
  const id = Number(c.req.param("id"));
  const wish = fieldOf(fields, "do") ?? "";
  try {
    await act(services, id, { wish, now });
    const referrer = URL.parse(c.req.header("referer") ?? "");
    return ownPath(referrer && `${referrer.pathname}${referrer.search}`);
  } catch (error) {
    return refusalPage("Session", error);
  }
}

async function act(
  services: Services,
  id: number,
  { wish, now }: { readonly wish: string; readonly now: number },
): Promise<void> {
  const snooze = SNOOZES[wish];
  if (wish === "favorite") {
    await toggleFavorite(services, UNRESTRICTED, id);
  } else if (snooze !== undefined) {
    await setVisibility(services, UNRESTRICTED, id, {
      visibility: "snoozed",
      snoozedUntil: new Date(now + snooze).toISOString().slice(0, 19),
    });
  } else if (wish === "hide" || wish === "show") {
    await setVisibility(services, UNRESTRICTED, id, {
      visibility: wish === "hide" ? "hidden" : "visible",
    });
  } else {
    throw new FleetRefusalError(
      "bad_argument",
      "The form names nothing that it could do: favorite, hour, day, week, hide or show. Nothing was changed",
    );
  }
}
