/**
 * `search_triggers`: lists triggers, or shows one.
 *
 * @module
 */
import {
  clockWarnings,
  listTriggers,
  readSlackChannels,
  showTrigger,
  WatchError,
} from "../../../fleet/mod.ts";
import { readClassOverrides } from "../../../store/sessions/mod.ts";
import {
  CONDITION_TYPES,
  TRIGGER_STATUSES,
} from "../../../store/triggers/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown } from "../../markdown/document.ts";
import { grouped, md } from "../../markdown/inline.ts";
import { COUNT, FLAG, inputOf, listOf, objectOf, TEXT } from "../../schema.ts";
import type { Services } from "../../services.ts";
import { PAGE_INPUT, PER_PAGE_INPUT } from "../page.ts";
import { defineTool, Written } from "../tool.ts";
import { TRIGGER_ID } from "./trigger_input.ts";
import {
  TRIGGER,
  TRIGGER_VIEW,
  triggerShape,
  viewShape,
} from "./trigger_shape.ts";
import { writeListed, writeView, writeWarnings } from "./trigger_text.ts";

const DEFAULT_PER_PAGE = 25;

/** Arguments that narrow and page the list. */
export const TRIGGER_LIST_INPUT = {
  trigger_type: {
    type: "string",
    enum: CONDITION_TYPES,
    description: "Only those with a condition of this type",
  },
  status: {
    type: "string",
    enum: TRIGGER_STATUSES,
    description: "Only those that stand so; failed: parked by what broke",
  },
  page: PAGE_INPUT,
  per_page: {
    ...PER_PAGE_INPUT,
    description: `Triggers of a page, ${DEFAULT_PER_PAGE} by default`,
  },
} as const;

/** The tool. */
export const searchTriggers = defineTool({
  name: "search_triggers",
  title: "Search triggers",
  access: "read",
  description:
    "Lists triggers, failed ones first, or shows one by id: template, goal, lists, conditions with ids and whole configurations, what broke and how it is armed again, its latest sessions and firings. Configurations may be handed back to action_trigger as they are. Wakes are listed, too: schedule and ao_event.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    id: { ...TRIGGER_ID, description: "One trigger, whole" },
    ...TRIGGER_LIST_INPUT,
    include_channels: {
      type: "boolean",
      description: "true: also the channels of Slack that the bot may see",
    },
  }),
  output: objectOf({ warnings: listOf(TEXT) }, {
    total: COUNT,
    page: COUNT,
    triggers: listOf(TRIGGER),
    channels: listOf(objectOf({ id: TEXT, name: TEXT, is_member: FLAG })),
    trigger: TRIGGER_VIEW.properties.trigger,
    sessions: TRIGGER_VIEW.properties.sessions,
    firings: TRIGGER_VIEW.properties.firings,
  }),
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const db = await services.store.db();
    const overrides = await readClassOverrides(db);
    const answer = new Markdown();
    if (args.id !== undefined) {
      const view = await showTrigger(fleet, caller, args.id);
      writeView(answer, view, overrides);
      writeWarnings(answer, view.warnings);
      return new Written(answer.text, viewShape(view));
    }
    const { page = 1, per_page: perPage = DEFAULT_PER_PAGE } = args;
    const { total, triggers } = await listTriggers(fleet, caller, {
      type: args.trigger_type,
      status: args.status,
      limit: perPage,
      offset: (page - 1) * perPage,
    });
    const warnings = await clockWarnings(db);
    const pages = Math.max(1, Math.ceil(total / perPage));
    answer.line(
      md`Found ${grouped(total)} trigger(s) (page ${page} of ${pages})`,
    );
    writeWarnings(answer, warnings);
    for (const one of triggers) writeListed(answer, one, overrides);
    if (page < pages) answer.line(md`_Next page: page: ${page + 1}_`);
    const channels = args.include_channels === true
      ? await writeChannels(answer, services)
      : undefined;
    return new Written(answer.text, {
      total,
      page,
      warnings,
      triggers: triggers.map((one) => triggerShape(one)),
      ...(channels === undefined ? {} : { channels }),
    });
  },
});

/** Lists channels; that Slack cannot be read is a footnote, and no failure. */
async function writeChannels(
  answer: Markdown,
  { outside = {} }: Services,
): Promise<{ id: string; name: string; is_member: boolean }[]> {
  try {
    const channels = await readSlackChannels(outside);
    answer.heading(3, md`Channels of Slack`);
    for (const { id, name, isMember } of channels) {
      answer.item(
        md`${id}: ${name}${
          isMember ? "" : ", which the bot is not in: invite it"
        }`,
      );
    }
    return channels.map(({ id, name, isMember }) => ({
      id,
      name,
      is_member: isMember,
    }));
  } catch (error) {
    if (!(error instanceof WatchError)) throw error;
    answer.line(md`_Channels of Slack are missing: ${error.message}_`);
    return [];
  }
}
