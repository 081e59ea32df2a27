/**
 * `get_session_provenance`: where a session comes from, and what people said.
 *
 * @module
 */
import { findFor, readProvenance } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { COUNT, FLAG, inputOf, listOf, objectOf } from "../../schema.ts";
import {
  hierarchySection,
  humanSection,
} from "../../session_text/provenance.ts";
import { defineTool, Written } from "../tool.ts";
import { SESSION_NAME_INPUT } from "./session_input.ts";

/** The tool. */
export const getSessionProvenance = defineTool({
  name: "get_session_provenance",
  title: "Get session provenance",
  access: "read",
  description:
    "Shows where a session comes from and what named people said: its hierarchy, and the human messages of it, each in full: the newest 25, and the newest 5 of each origin (here: said to this session; elsewhere: to another one of the hierarchy). Counts are of the whole record; where it is longer, it says how many entries no call returns. Read it with care: what was sent over this API is never a human message, whoever sent it; an empty record means that nobody spoke only where it says so; an uncle edge is a claim of the session that made it, not a proof; what was said elsewhere was not said to this session.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({ session_id: SESSION_NAME_INPUT }, ["session_id"]),
  output: objectOf({
    session_id: COUNT,
    hierarchy: listOf(COUNT),
    hierarchy_is_truncated: FLAG,
    human_messages_here: COUNT,
    human_messages_elsewhere: COUNT,
    human_messages_listed: COUNT,
    human_messages_established: {
      ...FLAG,
      description: "Whether an empty record means that nobody spoke",
    },
  }),
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const session = await findFor(fleet, fleetCallerOf(connection), {
      name: args.session_id,
      act: "reading its provenance",
    });
    const provenance = await readProvenance(fleet, session.id);
    const { family, record, unheard } = provenance;
    const markdown = new Markdown()
      .heading(2, md`Provenance of ${session.title} (ID: ${session.id})`)
      .append(hierarchySection(provenance))
      .append(humanSection(provenance, "whole"));
    return new Written(markdown.text, {
      session_id: session.id,
      hierarchy: family.relatives.map(({ id }) => id),
      hierarchy_is_truncated: family.isTruncated,
      human_messages_here: record.here,
      human_messages_elsewhere: record.elsewhere,
      human_messages_listed: record.newest.length,
      human_messages_established: unheard.length === 0,
    });
  },
});
