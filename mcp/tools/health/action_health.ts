/**
 * `action_health`: what an operator does about the health of the fleet.
 *
 * @module
 */
import { COOLDOWN_SECONDS } from "../../../fleet/mod.ts";
import { callerDigest } from "../../caller/caller_digest.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import {
  actOnHealth,
  HEALTH_ACTION_ANSWER,
  HEALTH_ACTION_INPUT,
  type HealthActionAnswer,
} from "../../health_actions.ts";
import { receipt } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { defineTool, Written } from "../tool.ts";

/** The tool. */
export const actionHealth = defineTool({
  name: "action_health",
  title: "Act on health",
  access: "write",
  description:
    `Does what an operator does to a fleet that is not well. cleanup_processes has runners kill what turns left behind; retry_sessions starts failed sessions anew; archive_old archives sessions that rested or failed for days and have nothing to say: these three can be done once in ${COOLDOWN_SECONDS} s with a key, on whatever surface. cli_refresh and cli_clear_cache ask runners which agent programs they have. enter_queue_recovery_mode halts all lanes of jobs but agents until its ttl_minutes end; exit_queue_recovery_mode opens them at once. preview_queued_jobs counts waiting jobs by job_class and queue_name; discard_queued_jobs deletes them for good and reschedule_queued_jobs puts them off, both only where expected_count is what the preview counted; turns (queue agents) are never touched. backfill_token_usage reads all that turns reported into the ledger of get_costs; asking twice joins the reading under way.`,
  isDestructive: true,
  isIdempotent: false,
  input: HEALTH_ACTION_INPUT,
  output: HEALTH_ACTION_ANSWER,
  async run({ services, connection }, args) {
    const answer = await actOnHealth(services, {
      caller: fleetCallerOf(connection),
      digest: callerDigest(connection),
    }, args);
    return new Written(textOf(answer), answer);
  },
});

/** Sessions that are named one by one. */
const MAX_NAMED = 20;

function textOf(answer: HealthActionAnswer): string {
  const { sessions = [], skipped = [], queued_jobs: queued } = answer;
  const text = receipt(md`Health action`, [
    ["Action", answer.action],
    ["Result", answer.message],
    ["Sessions", sessions.length === 0 ? undefined : sessions.join(", ")],
  ]);
  for (const { session_id, reason } of skipped.slice(0, MAX_NAMED)) {
    text.field("Not done", md`session ${session_id}: ${reason}`);
  }
  if (skipped.length > MAX_NAMED) {
    text.field(
      "Not done",
      `${skipped.length - MAX_NAMED} more; the data of this answer lists them`,
    );
  }
  for (const { queue_name, job_class, count } of queued?.classes ?? []) {
    text.field("Jobs", md`${count} × ${job_class} in ${queue_name}`);
  }
  return text.text;
}
