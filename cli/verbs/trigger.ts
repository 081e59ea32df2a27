/**
 * `trigger list|show|run|enable|disable`: what a person does with triggers from
 * a terminal.
 *
 * @module
 */
import {
  clockWarnings,
  describeCondition,
  type Fleet,
  invokeTrigger,
  listTriggers,
  showTrigger,
  toggleTrigger,
  UNRESTRICTED,
} from "../../fleet/mod.ts";
import { describeTrigger, describeTriggerView } from "../../mcp/mod.ts";
import {
  TRIGGER_STATUSES,
  type TriggerStatus,
} from "../../store/triggers/mod.ts";
import { buildParts } from "../app/parts.ts";
import { print, printJson, table } from "../output.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

const MAX_LISTED = 200;

/** The verb. */
export const trigger = defineVerb({
  summary:
    "Lists and shows triggers and wakes, fires one now, switches one on or off; one that failed is armed again by enable.",
  words: "list|show|run|enable|disable [ID]",
  maxWords: 2,
  flags: {
    status: {
      type: "string",
      meaning: `list: only ${TRIGGER_STATUSES.join(", ")}`,
    },
    variables: {
      type: "string",
      meaning: 'run: what the template\'s names stand for, {"title": "…"}',
    },
    json: { type: "boolean", meaning: "print JSON" },
  },
  settings: settingsOf(
    "database",
    "catalog",
    "fleet",
    "layout",
    "cortex",
    "log",
  ),
  async run(call, config) {
    const [action] = call.words;
    await using parts = buildParts(config);
    const { fleet } = parts;
    switch (action) {
      case "list":
        return await list(call, fleet);
      case "show":
        return await show(call, fleet);
      case "run":
        return await run(call, fleet);
      case "enable":
      case "disable":
        return await toggle(call, fleet, action);
      default:
        throw new ConfigError([
          `trigger needs one of list, show, run, enable, disable: it got ${
            action === undefined ? "none" : `"${action}"`
          }`,
        ]);
    }
  },
});

async function list(call: Call, fleet: Fleet): Promise<number> {
  const status = textFlag(call, "status");
  if (status !== undefined && !isStatus(status)) {
    throw new ConfigError([
      `--status must be one of ${
        TRIGGER_STATUSES.join(", ")
      }: it is "${status}"`,
    ]);
  }
  const { triggers, total } = await listTriggers(fleet, UNRESTRICTED, {
    status,
    limit: MAX_LISTED,
    offset: 0,
  });
  if (call.flags.json === true) {
    printJson(triggers.map((one) => describeTrigger(one)));
    return 0;
  }
  await warn(fleet);
  if (total === 0) {
    print("No triggers; agents make them with action_trigger");
    return 0;
  }
  print(table([
    ["ID", "STATUS", "ROOT", "NAME", "FIRES"],
    ...triggers.map(({ trigger, conditions }) => [
      String(trigger.id),
      trigger.status,
      trigger.agentRootName ?? `wakes session ${trigger.wakeSessionId}`,
      trigger.name,
      conditions.map(describeCondition).join("; "),
    ]),
  ]));
  if (total > triggers.length) print(`and ${total - triggers.length} more`);
  return 0;
}

async function show(call: Call, fleet: Fleet): Promise<number> {
  const view = await showTrigger(fleet, UNRESTRICTED, idOf(call));
  const { trigger, conditions, sessions, firings, warnings } = view;
  if (call.flags.json === true) {
    printJson(describeTriggerView(view));
    return 0;
  }
  for (const warning of warnings) print(`Warning: ${warning}`);
  print(`Trigger ${trigger.id}: ${trigger.name} (${trigger.status})`);
  if (trigger.lastError !== null) print(`Broke: ${trigger.lastError}`);
  for (const one of conditions) {
    print(`Condition ${one.id}, ${one.type}: ${describeCondition(one)}`);
  }
  print();
  print(trigger.promptTemplate);
  if (sessions.length > 0) {
    print();
    print(table([
      ["SESSION", "STATUS", "TITLE", "STARTED"],
      ...sessions.map((one) => [
        String(one.id),
        one.status,
        one.title,
        one.createdAt.toISOString(),
      ]),
    ]));
  }
  if (firings.length > 0) {
    print();
    print(table([
      ["FIRED", "CONDITION", "OUTCOME"],
      ...firings.map((one) => [
        one.at.toISOString(),
        String(one.conditionId),
        one.outcome,
      ]),
    ]));
  }
  return 0;
}

async function run(call: Call, fleet: Fleet): Promise<number> {
  const variables = variablesOf(textFlag(call, "variables"));
  const fired = await invokeTrigger(
    fleet,
    UNRESTRICTED,
    idOf(call),
    variables,
  );
  if (call.flags.json === true) {
    printJson({
      outcome: fired.kind,
      session_id: fired.sessionId ?? null,
      text: fired.text,
    });
  } else print(fired.text);
  return ["started", "told", "notice"].includes(fired.kind) ? 0 : 1;
}

async function toggle(
  call: Call,
  fleet: Fleet,
  action: "enable" | "disable",
): Promise<number> {
  const saved = await toggleTrigger(
    fleet,
    UNRESTRICTED,
    idOf(call),
    `${action}d`,
  );
  if (call.flags.json === true) {
    printJson(describeTrigger(saved));
    return 0;
  }
  for (const warning of saved.warnings) print(`Warning: ${warning}`);
  print(`Trigger ${saved.trigger.id} is ${saved.trigger.status}`);
  return 0;
}

async function warn({ store }: Fleet): Promise<void> {
  for (const warning of await clockWarnings(await store.db())) {
    print(`Warning: ${warning}`);
  }
}

function idOf({ words }: Call): number {
  const [action, text] = words;
  const id = /^[1-9][0-9]*$/.test(text ?? "") ? Number(text) : NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new ConfigError([
    text === undefined
      ? `trigger ${action} needs the id of a trigger; trigger list shows them`
      : `trigger ${action} needs the id of a trigger: it got "${text}"`,
  ]);
}

function variablesOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (
      typeof value === "object" && value !== null && !Array.isArray(value)
    ) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          name,
          typeof one === "string" ? one : JSON.stringify(one),
        ]),
      );
    }
  } catch {
    // Said below.
  }
  throw new ConfigError(["--variables must be a JSON object of texts"]);
}

function isStatus(text: string): text is TriggerStatus {
  return TRIGGER_STATUSES.some((status) => status === text);
}
