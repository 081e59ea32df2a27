/**
 * Triggers as text.
 *
 * @module
 */
import {
  classOf,
  describeCondition,
  genesisOfTrigger,
  isBursting,
  type SavedTrigger,
  type TriggerView,
} from "../../../fleet/mod.ts";
import type { ClassOverrides } from "../../../store/sessions/mod.ts";
import type {
  TriggerCondition,
  TriggerWithConditions,
} from "../../../store/triggers/mod.ts";
import { Markdown } from "../../markdown/document.ts";
import {
  code,
  type Inline,
  joined,
  md,
  preview,
} from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import { second } from "../../session_text/state.ts";
import { webhookPath } from "./trigger_shape.ts";

/** Characters of an error in a list. */
const ERROR_CHARACTERS = 200;

/** A row of a list. */
export function writeListed(
  answer: Markdown,
  found: TriggerWithConditions,
  overrides: ClassOverrides,
): void {
  const { trigger, conditions } = found;
  answer.entry(md`${trigger.name} (ID: ${trigger.id})`, [
    md`**Status:** ${trigger.status}${
      trigger.lastError === null
        ? md``
        : md`: ${preview(trigger.lastError, ERROR_CHARACTERS)}`
    }`,
    rootLine(found),
    ...trigger.wakeSessionId === null
      ? [
        classLine(found, overrides),
        md`**MCP Servers:** ${listed(trigger.mcpServers)}`,
        capLine(found),
      ]
      : [],
    md`**Sessions created:** ${trigger.sessionsCreatedCount}`,
    ...conditions.map(conditionLine),
  ]);
}

/** One trigger, whole. */
export function writeView(
  answer: Markdown,
  view: TriggerView,
  overrides: ClassOverrides,
): void {
  const { trigger, conditions, sessions, firings } = view;
  answer.heading(2, md`Trigger ${trigger.id}: ${trigger.name}`)
    .field("Status", trigger.status);
  if (trigger.failedAt !== null) {
    answer.item(
      md`**Failed** at ${
        second(trigger.failedAt)
      }; fix what it says, then arm it again with action_trigger toggle`,
    ).quote(trigger.lastError ?? "", 1);
  }
  answer.item(rootLine(view));
  if (trigger.wakeSessionId === null) {
    answer.item(classLine(view, overrides))
      .item(capLine(view))
      .field("Precedence", trigger.precedence ?? "none, so 0")
      .field(
        "Reuses its latest session",
        trigger.reuseSession
          ? `yes${trigger.enqueueMessages ? ", queues while it works" : ""}${
            trigger.resuscitateArchived ? ", brings archived ones back" : ""
          }`
          : "no",
      )
      .field("MCP servers", listed(trigger.mcpServers))
      .field("Skills", listed(trigger.catalogSkills))
      .field("Hooks", listed(trigger.catalogHooks))
      .field("Plugins", listed(trigger.catalogPlugins));
    if (trigger.goal !== null) {
      answer.field("Goal", md``).quote(trigger.goal, 1);
    }
  }
  answer.field("Sessions created", trigger.sessionsCreatedCount)
    .field("Last session", trigger.lastSessionId ?? "none")
    .field(
      "Last fired",
      trigger.lastTriggeredAt === null
        ? "never"
        : second(trigger.lastTriggeredAt),
    )
    .heading(3, md`Template`).quote(trigger.promptTemplate)
    .heading(3, md`Conditions`);
  for (const one of conditions) writeCondition(answer, one);
  if (sessions.length > 0) answer.heading(3, md`Latest sessions`);
  for (const { id, title, status, createdAt } of sessions) {
    answer.item(
      md`#${id} ${preview(title, 100)} (${status}), ${second(createdAt)}`,
    );
  }
  if (firings.length > 0) answer.heading(3, md`Latest firings`);
  for (const { conditionId, at, outcome } of firings) {
    answer.item(
      md`${second(at)}, condition ${conditionId}: ${preview(outcome, 300)}`,
    );
  }
}

/** What keeps triggers from firing. */
export function writeWarnings(
  answer: Markdown,
  warnings: readonly string[],
): void {
  for (const warning of warnings) answer.field("Warning", warning);
}

/** A trigger after a change. */
export function savedText(heading: string, saved: SavedTrigger): string {
  const { trigger, conditions, secrets, warnings } = saved;
  const answer = new Markdown().heading(2, md`${heading}`)
    .field("ID", trigger.id)
    .field("Name", trigger.name)
    .field("Status", trigger.status)
    .item(rootLine(saved));
  if (trigger.wakeSessionId === null) {
    answer.field("MCP servers", listed(trigger.mcpServers));
  }
  for (const one of conditions) answer.item(conditionLine(one));
  for (const { conditionId, secret, signingKey } of secrets) {
    if (secret !== undefined) {
      answer.item(
        md`**Webhook** of condition ${conditionId}, shown only now: POST to ${
          code(webhookPath(secret))
        } of this server`,
      );
    }
    if (signingKey !== undefined) {
      answer.item(
        md`**Signing key** of condition ${conditionId}, shown only now: ${
          code(signingKey)
        }; senders put the HMAC-SHA256 of the body into X-Hub-Signature-256`,
      );
    }
  }
  writeWarnings(answer, warnings);
  return answer.text;
}

function rootLine({ trigger }: TriggerWithConditions): Inline {
  return trigger.wakeSessionId === null
    ? md`**Agent root:** ${trigger.agentRootName ?? "none"}`
    : md`**Wakes:** session ${trigger.wakeSessionId}, once; it never starts one`;
}

function classLine(
  { trigger, conditions }: TriggerWithConditions,
  overrides: ClassOverrides,
): Inline {
  const genesis = genesisOfTrigger({ conditions });
  const { schedulingClass } = trigger;
  const { name, source } = classOf({ genesis, schedulingClass }, overrides);
  return md`**Class:** ${name} (${
    source === "own" ? "its own" : `of the genesis ${genesis}`
  })`;
}

function capLine({ trigger }: TriggerWithConditions): Inline {
  const { maxSessionsPerMinute: cap, burstActiveUntil } = trigger;
  if (cap === null) return md`**Sessions per minute:** no limit`;
  return md`**Sessions per minute:** ${cap} at most${
    isBursting(trigger, new Date())
      ? md`, **BURSTING** until ${isoTime(burstActiveUntil) ?? ""}`
      : md``
  }`;
}

function conditionLine(condition: TriggerCondition): Inline {
  return md`Condition ${condition.id}, ${condition.type}: ${
    preview(describeCondition(condition), 300)
  }${
    condition.pollError === null
      ? md``
      : md`; cannot be read: ${preview(condition.pollError, ERROR_CHARACTERS)}`
  }`;
}

function writeCondition(answer: Markdown, condition: TriggerCondition): void {
  answer.item(conditionLine(condition)).json(condition.configuration);
  const seen = cursorLines(condition.cursor);
  if (seen.length > 0) {
    answer.line(
      md`_Kept by the server, and not part of the configuration: ${
        joined(seen, ", ")
      }_`,
    );
  }
}

/** What a poller remembers, as numbers: it can be long. */
function cursorLines(cursor: TriggerCondition["cursor"]): Inline[] {
  return Object.entries(cursor ?? {}).map(([name, value]) => {
    const size = Array.isArray(value)
      ? value.length
      : typeof value === "object" && value !== null
      ? Object.keys(value).length
      : undefined;
    return size === undefined
      ? md`${name} ${preview(String(value), 60)}`
      : md`${name} (${size} entries)`;
  });
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "the root's defaults" : names.join(", ");
}
