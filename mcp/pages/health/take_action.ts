/**
 * Takes the forms of the health page.
 *
 * @module
 */
import { FleetRefusalError, UNRESTRICTED } from "../../../fleet/mod.ts";
import { digestOf } from "../../caller/caller_digest.ts";
import { ToolError } from "../../errors.ts";
import { actOnHealth, type HealthAction } from "../../health_actions.ts";
import type { Services } from "../../services.ts";
import type { FormCall } from "../door.ts";
import { healthPage } from "../health_page.ts";
import type { Page } from "../layout.ts";
import { fieldOf } from "../read_form.ts";

/** Actions that the page has a form for. */
export const PAGE_ACTIONS: readonly HealthAction[] = [
  "cleanup_processes",
  "retry_sessions",
  "archive_old",
  "cli_refresh",
  "enter_queue_recovery_mode",
  "exit_queue_recovery_mode",
  "backfill_token_usage",
];

/** Does it: the page, with what was done or what is wrong. */
export async function takeAction(
  services: Services,
  action: HealthAction,
  { fields, person, now }: FormCall,
): Promise<Page> {
  const whole = (name: string) => {
    const value = fieldOf(fields, name);
    return value === undefined ? undefined : Number(value);
  };
  try {
    const { message } = await actOnHealth(services, {
      caller: UNRESTRICTED,
      digest: person.digest ?? digestOf("page"),
    }, {
      action,
      ...given("reason", fieldOf(fields, "reason")),
      ...given("ttl_minutes", whole("ttl_minutes")),
      ...given("days", whole("days")),
    });
    return await healthPage(services, now, { outcome: { message } });
  } catch (error) {
    const isRefusal = error instanceof FleetRefusalError ||
      error instanceof ToolError;
    if (!isRefusal) throw error;
    return await healthPage(services, now, {
      outcome: { message: error.message, isRefused: true },
    });
  }
}

function given<K extends string, V>(
  name: K,
  value: V | undefined,
): { readonly [N in K]?: V } {
  return value === undefined ? {} : { [name]: value } as { [N in K]: V };
}
