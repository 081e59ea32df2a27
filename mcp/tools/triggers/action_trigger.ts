/**
 * `action_trigger`: makes, changes, switches, fires and deletes triggers.
 *
 * @module
 */
import {
  createTrigger,
  invokeTrigger,
  removeTrigger,
  toggleTrigger,
  updateTrigger,
} from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { receipt } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import {
  COUNT,
  inputOf,
  objectOf,
  orNull,
  TEXT,
  wordOf,
} from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import {
  textsOf,
  TRIGGER_ID,
  TRIGGER_INPUT,
  triggerRequest,
  VARIABLES_INPUT,
} from "./trigger_input.ts";
import { savedShape, TRIGGER_FIRED, TRIGGER_SAVED } from "./trigger_shape.ts";
import { savedText } from "./trigger_text.ts";

const ACTIONS = ["create", "update", "delete", "toggle", "invoke"] as const;

/** The tool. */
export const actionTrigger = defineTool({
  name: "action_trigger",
  title: "Act on a trigger",
  access: "write",
  description:
    "create needs name, agent_root_name, prompt_template and a condition (trigger_type with configuration, or conditions). update changes what is given; of conditions, too: see there. toggle switches on or off, and arms one that failed again. invoke fires now, also one that is off: it starts or tells a session as an event would, within max_sessions_per_minute. delete keeps the sessions. An unknown agent root is stored with a warning, and each firing fails until the catalog has it. The address of a webhook is shown once.",
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    action: { type: "string", enum: ACTIONS, description: "What to do" },
    id: { ...TRIGGER_ID, description: "Which trigger; all but create" },
    ...TRIGGER_INPUT,
    variables: VARIABLES_INPUT,
  }, ["action"]),
  refused: {
    last_session_id: '"last_session_id" is the server\'s to set',
  },
  output: objectOf({ action: wordOf(ACTIONS) }, {
    trigger_id: COUNT,
    trigger: TRIGGER_SAVED.properties.trigger,
    warnings: TRIGGER_SAVED.properties.warnings,
    webhooks: TRIGGER_SAVED.properties.webhooks,
    outcome: TRIGGER_FIRED.properties.outcome,
    session_id: orNull(COUNT),
    text: TEXT,
  }),
  async run({ connection, services }, { action, id, variables, ...args }) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    assertFitting(action, { id, variables, ...args });
    if (action === "create") {
      const saved = await createTrigger(fleet, caller, triggerRequest(args));
      return new Written(savedText("Trigger Created", saved), {
        action,
        ...savedShape(saved),
      });
    }
    const target = Number(id);
    switch (action) {
      case "update": {
        const request = triggerRequest(args);
        const saved = await updateTrigger(fleet, caller, target, request);
        return new Written(savedText("Trigger Updated", saved), {
          action,
          ...savedShape(saved),
        });
      }
      case "toggle": {
        const saved = await toggleTrigger(fleet, caller, target, args.status);
        return new Written(savedText("Trigger Switched", saved), {
          action,
          ...savedShape(saved),
        });
      }
      case "delete": {
        const gone = await removeTrigger(fleet, caller, target);
        return new Written(
          receipt(md`Trigger Deleted`, [
            ["ID", gone.id],
            ["Name", gone.name],
            ["Sessions", "those that it started stay"],
          ]).text,
          { action, trigger_id: gone.id },
        );
      }
      case "invoke": {
        const texts = textsOf(variables ?? {});
        const fired = await invokeTrigger(fleet, caller, target, texts);
        return new Written(
          receipt(md`Trigger Invoked`, [
            ["ID", target],
            ["Outcome", fired.text],
            ["Session ID", fired.sessionId],
          ]).text,
          {
            action,
            trigger_id: target,
            outcome: fired.kind,
            session_id: fired.sessionId ?? null,
            text: fired.text,
          },
        );
      }
    }
  },
});

/** Refuses arguments that an action would not look at. */
function assertFitting(
  action: typeof ACTIONS[number],
  args: Readonly<Record<string, unknown>>,
): void {
  const { id } = args;
  if ((action === "create") !== (id === undefined)) {
    throw new ToolError(
      action === "create"
        ? "create makes a trigger of its own, and takes no id; update changes one. Nothing was created"
        : `${action} needs the id of a trigger; search_triggers lists them. Nothing was changed`,
    );
  }
  const fitting: Readonly<Record<string, readonly string[]>> = {
    delete: ["id"],
    toggle: ["id", "status"],
    invoke: ["id", "variables"],
  };
  const extra = Object.keys(args).filter((name) =>
    args[name] !== undefined &&
    !(fitting[action]?.includes(name) ??
      (name !== "variables" && (name !== "clear" || action === "update")))
  );
  if (extra.length === 0) return;
  throw new ToolError(
    `${action} does not take ${extra.join(", ")}; nothing was done`,
  );
}
