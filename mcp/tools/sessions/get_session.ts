/**
 * `get_session`: one session, to be read before anything is done with it.
 *
 * @module
 */
import { findFor, readSessionView } from "../../../fleet/mod.ts";
import { SESSION_STATUSES } from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { cutText, isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  wordOf,
} from "../../schema.ts";
import { logsSection, subagentsSection } from "../../session_text/logs.ts";
import { sessionMarkdown } from "../../session_text/session.ts";
import {
  transcriptHint,
  transcriptSection,
} from "../../session_text/transcript.ts";
import { PAGE_INPUT, PER_PAGE_INPUT } from "../page.ts";
import { defineTool, Written } from "../tool.ts";
import { SESSION_NAME_INPUT } from "./session_input.ts";

const DEFAULT_PER_PAGE = 25;

/** The tool. */
export const getSession = defineTool({
  name: "get_session",
  title: "Get session",
  access: "read",
  description:
    "Shows one session: state and why, its own wake-ups, git, goal, prompt, metadata, status summary, the hierarchy it belongs to (an edge means started), what named people said anywhere in it, and the queue: read that before you add to it, manage_enqueued_messages lists it in full. An empty message record says whether nobody spoke or nobody was listening. Long texts are cut, each with its real length; verbose: true shows all, get_session_provenance the people's messages in full. The transcript is left out unless include_transcript is true. needs_input means at rest and free for the next message, not blocked. Reading changes nothing and makes no summary.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    id: SESSION_NAME_INPUT,
    include_transcript: {
      type: "boolean",
      description: "true: the newest events of the transcript",
    },
    transcript_format: {
      type: "string",
      enum: ["text", "json"],
      description: "text (default): what can be read; json: events whole",
    },
    transcript_before: {
      type: "string",
      description: "Older events: the place that the page before named",
    },
    include_logs: {
      type: "boolean",
      description: "true: its log, newest first",
    },
    logs_page: { ...PAGE_INPUT, description: "Which page of the log, from 1" },
    logs_per_page: {
      ...PER_PAGE_INPUT,
      description: `Lines of a page, ${DEFAULT_PER_PAGE} by default`,
    },
    include_subagent_transcripts: {
      type: "boolean",
      description: "true: what its subagents said, as far as its agent tells",
    },
    transcripts_page: {
      ...PAGE_INPUT,
      description: "Which page of subagents, from 1",
    },
    transcripts_per_page: {
      ...PER_PAGE_INPUT,
      description: `Subagents of a page, ${DEFAULT_PER_PAGE} by default`,
    },
    verbose: { type: "boolean", description: "true: nothing is cut" },
  }, ["id"]),
  output: objectOf({
    id: COUNT,
    title: TEXT,
    status: wordOf(SESSION_STATUSES),
    state_since: TIME,
    wait_reason: orNull(TEXT),
    wait_until: orNull(TIME),
    agent_root: orNull(TEXT),
    agent_runtime: orNull(TEXT),
    parent_session_id: orNull(COUNT),
    scheduling_class: TEXT,
    precedence: { type: "integer" },
    queued_messages: COUNT,
    message_in_delivery: FLAG,
    transcript_events: COUNT,
    human_messages_here: COUNT,
    human_messages_elsewhere: COUNT,
    human_messages_established: {
      ...FLAG,
      description: "Whether an empty record means that nobody spoke",
    },
  }),
  async run({ connection, services }, args) {
    assertTranscriptArguments(args);
    const fleet = fleetOf(services);
    const session = await findFor(fleet, fleetCallerOf(connection), {
      name: args.id,
      act: "reading it",
    });
    const view = await readSessionView(fleet, session);
    const isVerbose = args.verbose === true;
    const markdown = sessionMarkdown(view, { isVerbose });
    const db = await services.store.db();
    markdown.append(
      args.include_transcript === true
        ? await transcriptSection(db, session.id, {
          total: view.facts.events,
          format: args.transcript_format ?? "text",
          before: args.transcript_before,
        })
        : transcriptHint(session.id, view.facts.events),
    );
    if (args.include_logs === true) {
      markdown.append(
        await logsSection(db, session.id, {
          page: args.logs_page ?? 1,
          perPage: args.logs_per_page ?? DEFAULT_PER_PAGE,
          total: view.facts.logs,
        }),
      );
    }
    if (args.include_subagent_transcripts === true) {
      markdown.append(
        await subagentsSection(db, session.id, {
          page: args.transcripts_page ?? 1,
          perPage: args.transcripts_per_page ?? DEFAULT_PER_PAGE,
          total: view.facts.subagents,
        }),
      );
    }
    const { record, unheard } = view.provenance;
    return new Written(markdown.text, {
      id: session.id,
      title: session.title,
      status: session.status,
      state_since: isoTime(session.stateSince),
      wait_reason: session.waitReason,
      wait_until: isoTime(session.waitUntil),
      agent_root: session.agentRootKey,
      agent_runtime: session.agentRuntime,
      parent_session_id: session.parentSessionId,
      scheduling_class: view.schedulingClass.name,
      precedence: session.precedence,
      queued_messages: view.queue.pending,
      message_in_delivery: view.queue.processing > 0,
      transcript_events: view.facts.events,
      human_messages_here: record.here,
      human_messages_elsewhere: record.elsewhere,
      human_messages_established: unheard.length === 0,
    });
  },
});

/** What says more of a part that was not asked for is a mistake. */
function assertTranscriptArguments(args: {
  readonly include_transcript?: boolean | undefined;
  readonly transcript_format?: string | undefined;
  readonly transcript_before?: string | undefined;
}): void {
  if (args.include_transcript === true) return;
  for (const name of ["transcript_format", "transcript_before"] as const) {
    const value = args[name];
    if (value === undefined) continue;
    throw new ToolError(
      `${name} is "${
        cutText(value, 100)
      }", but no transcript is asked for: pass include_transcript: true with it, or leave it out`,
    );
  }
}
