/**
 * One session, to be read: what it is, where it stands, what waits for it.
 *
 * What is long is cut unless all was asked for, and each cut says how much there
 * is and which call has it.
 *
 * @module
 */
import {
  QUEUE_PREVIEW_CHARACTERS,
  QUEUE_PREVIEWS,
  type SessionView,
} from "../../fleet/mod.ts";
import type { SummaryFacts } from "../../store/session_reads/mod.ts";
import type { Wake } from "../../store/sessions/mod.ts";
import { withoutCredentials } from "../log.ts";
import { Markdown } from "../markdown/document.ts";
import { code, grouped, type Inline, joined, md } from "../markdown/inline.ts";
import { cutLongTexts } from "./metadata.ts";
import { hierarchySection, humanSection } from "./provenance.ts";
import { ago, reasonLine, second, statusLine } from "./state.ts";

/** Characters of a prompt, of a goal and of notes, unless all is asked for. */
const LONG_TEXT_CHARACTERS = 1_000;
const VERBOSE = "verbose: true shows all of it";

/** The sections that get_session always has. */
export function sessionMarkdown(
  view: SessionView,
  { isVerbose }: { readonly isVerbose: boolean },
): Markdown {
  const form = isVerbose ? "whole" : "summary";
  return new Markdown()
    .heading(2, md`${view.session.title} (ID: ${view.session.id})`)
    .append(basics(view))
    .append(git(view))
    .append(execution(view, isVerbose))
    .append(promptSection(view, isVerbose))
    .append(turnSection(view))
    .append(metadata(view, isVerbose))
    .append(summarySection(view))
    .append(hierarchySection(view.provenance))
    .append(humanSection(view.provenance, form))
    .append(queueSection(view))
    .append(timestamps(view));
}

function basics(view: SessionView): Markdown {
  const { session, facts, schedulingClass, wakes } = view;
  const reason = reasonLine(session);
  const markdown = new Markdown().heading(3, md`Basic Information`)
    .field("ID", session.id)
    .field(
      "Status",
      md`${statusLine(session)}, since ${second(session.stateSince)}`,
    );
  if (reason !== undefined) markdown.field("Because", reason);
  for (const wake of wakes) markdown.field("Its own wake-up", wakeLine(wake));
  for (const { requestId, message, expiresAt } of facts.openElicitations) {
    markdown.field(
      "Asks",
      md`${[...message].slice(0, 300).join("")} (request_id ${
        code(requestId)
      }, until ${second(expiresAt)}; respond_to_elicitation answers it)`,
    );
  }
  markdown
    .field("Agent Root", session.agentRootKey ?? "none")
    .field(
      "Agent Runtime",
      session.drivenBy === "client"
        ? "none: its own client carries out its turns"
        : session.agentRuntime ?? "the default",
    )
    .field("Slug", session.slug ?? "none")
    .field("Category", facts.category ?? "Uncategorized")
    .field("Genesis", session.genesis)
    .field(
      "Scheduling class",
      md`${schedulingClass.name} (${SOURCES[schedulingClass.source]})`,
    )
    .field("Precedence", session.precedence);
  const { visibility, snoozedUntil } = session;
  const isSnoozed = visibility === "snoozed" && snoozedUntil !== null &&
    snoozedUntil.getTime() > Date.now();
  if (visibility === "hidden" || isSnoozed) {
    markdown.field(
      "Visibility",
      isSnoozed ? md`snoozed until ${second(snoozedUntil)}` : md`hidden`,
    );
  }
  if (
    session.status === "waiting" && session.drivenBy === "runner" &&
    !facts.hasRunner
  ) {
    markdown.field(
      "No runner",
      md`none that runs ${
        session.agentRuntime ?? "it"
      } was heard of lately; it waits until one is`,
    );
  }
  if (session.status === "waiting" && facts.refusedUntil !== null) {
    markdown.field(
      "Login refused",
      md`the limit of ${
        session.agentRuntime ?? "its agent"
      } is used up at every runner that runs it, until ${
        second(facts.refusedUntil)
      }; it goes on by itself then`,
    );
  }
  return markdown;
}

const SOURCES = {
  own: "set on the session",
  genesis_override: "set by an operator for its genesis",
  genesis_default: "the usual one of its genesis",
} as const;

/** When a wake comes, or what it waits for. */
export function wakeLine({ id, conditions }: Wake): Inline {
  const on = conditions.map((one) =>
    one.kind === "time"
      ? md`at ${second(one.dueAt)}`
      : md`when session #${one.watchedSessionId} is ${
        one.eventName.replace("session_", "")
      }`
  );
  return md`${joined(on, " or ")} (trigger ${id})`;
}

function git({ session, facts }: SessionView): Markdown {
  const markdown = new Markdown().heading(3, md`Git Configuration`)
    .field(
      "Repository",
      withoutCredentials(session.gitRoot ?? session.repositoryName ?? "none"),
    )
    .field("Branch", session.branch ?? "none")
    .field("Subdirectory", session.subdirectory ?? "none");
  const after = facts.turn?.gitAfter;
  if (after === null || after === undefined) return markdown;
  const { head, dirty, unpushed } = after;
  if (typeof head === "string") markdown.field("Head after its turn", head);
  if (Array.isArray(dirty)) markdown.field("Changed files", dirty.length);
  if (typeof unpushed === "number") {
    markdown.field("Unpushed commits", unpushed);
  }
  return markdown;
}

function execution(
  { session, texts }: SessionView,
  isVerbose: boolean,
): Markdown {
  const { model } = session.config;
  const markdown = new Markdown().heading(3, md`Execution`)
    .field("Driven by", session.drivenBy)
    .field("Model", typeof model === "string" ? model : "the default")
    .field("MCP Servers", names(session.mcpServers))
    .field("Skills", names(session.catalogSkills))
    .field("Hooks", names(session.catalogHooks))
    .field("Plugins", names(session.catalogPlugins))
    .field(
      "Heartbeat",
      session.heartbeatEnabled
        ? `after ${session.heartbeatIntervalSeconds} s of rest`
        : "off",
    )
    .field(
      "Push notifications",
      session.pushNotificationsEnabled ? "on" : "off",
    );
  if (texts.goal === null) return markdown.field("Goal", "none");
  markdown.field("Goal", md`as follows`);
  return longText(markdown, texts.goal, isVerbose);
}

function names(list: readonly string[]): Inline {
  return list.length === 0
    ? md`none`
    : joined(list.map((name) => md`${name}`), ", ");
}

function longText(
  markdown: Markdown,
  text: string,
  isVerbose: boolean,
): Markdown {
  return isVerbose ? markdown.quote(text) : markdown.quoteUpTo(text, {
    limit: LONG_TEXT_CHARACTERS,
    whole: VERBOSE,
  });
}

function promptSection({ texts }: SessionView, isVerbose: boolean): Markdown {
  const markdown = new Markdown().heading(3, md`Current Prompt`);
  if (texts.prompt === null) markdown.line(md`None: it was made without one.`);
  else longText(markdown, texts.prompt, isVerbose);
  if (texts.notes === null) return markdown;
  markdown.heading(3, md`Session Notes`);
  return longText(markdown, texts.notes, isVerbose);
}

function turnSection({ session, facts }: SessionView): Markdown {
  const { turn, events } = facts;
  const markdown = new Markdown().heading(3, md`Job Information`);
  if (turn === undefined) {
    markdown.line(md`No turn was ever queued.`);
  } else {
    markdown
      .field(
        "Turn",
        md`${turn.ordinal} (id ${turn.id}, ${turn.kind}): ${turn.phase}${
          turn.outcome === null ? "" : `, ${turn.outcome}`
        }, queued ${second(turn.queuedAt)}`,
      );
    if (turn.runner !== null) {
      markdown.field(
        "Runner",
        md`${turn.runner}, last heard of ${
          turn.runnerSeenAt === null ? "never" : second(turn.runnerSeenAt)
        }${aged(turn.runnerSeenSecondsAgo)}`,
      );
    }
    if (turn.notBefore !== null && turn.phase === "queued") {
      markdown.field("Not before", second(turn.notBefore));
    }
  }
  markdown.field(
    "Transcript",
    md`${grouped(events)} event(s)${
      session.lastTimelineEntryAt === null
        ? ""
        : `, the last at ${second(session.lastTimelineEntryAt)}${
          aged(turn?.eventSecondsAgo ?? null)
        }`
    }`,
  );
  if (session.conversationId !== null) {
    markdown.field("Conversation", session.conversationId);
  }
  return markdown;
}

/** An age behind a time. */
function aged(seconds: number | null): string {
  return seconds === null ? "" : ` (${ago(seconds)})`;
}

function metadata({ session }: SessionView, isVerbose: boolean): Markdown {
  const markdown = new Markdown();
  const parts = [
    [md`System Metadata`, session.metadata],
    [md`Custom Metadata`, session.customMetadata],
  ] as const;
  for (const [heading, data] of parts) {
    markdown.heading(3, heading);
    if (Object.keys(data).length === 0) markdown.line(md`None.`);
    else if (isVerbose) markdown.json(data);
    else cutLongTexts(markdown, data);
  }
  return markdown;
}

function summarySection({ facts }: SessionView): Markdown {
  return new Markdown().heading(3, md`Status Summary`)
    .append(summaryText(facts.summary, facts.events));
}

function summaryText(
  summary: SummaryFacts | undefined,
  events: number,
): Markdown {
  const markdown = new Markdown();
  if (summary === undefined || summary.state === "idle") {
    return markdown.line(
      md`None: action_session regenerate_status_summary asks for one.`,
    );
  }
  if (summary.text !== null && summary.generatedAt !== null) {
    markdown.quote(summary.text).line(
      md`Made ${second(summary.generatedAt)}; ${
        grouped(Math.max(0, events - summary.events))
      } transcript event(s) since.`,
    );
  }
  if (summary.state === "failed") {
    markdown.line(md`The last attempt failed: ${summary.error ?? "unknown"}`);
  } else if (summary.isAbandoned) {
    markdown.line(
      md`One was asked for more than 15 minutes ago and did not come; ask again.`,
    );
  } else if (summary.state === "pending") {
    markdown.line(md`One is being made.`);
  }
  return markdown;
}

function queueSection({ session, queue }: SessionView): Markdown {
  const markdown = new Markdown().heading(3, md`Queued Messages`);
  const { pending, processing, first } = queue;
  if (processing > 0) {
    markdown.line(md`One message is with its agent now.`);
  }
  if (pending === 0) return markdown.line(md`Nothing queued.`);
  markdown.line(
    md`**${grouped(pending)} pending**, in the order of delivery${
      session.drivenBy === "client" ? " (only its own client reads them)" : ""
    }:`,
  );
  for (const { id, position, content, characters } of first) {
    const shown = [...content].slice(0, QUEUE_PREVIEW_CHARACTERS).join("");
    markdown.item(
      md`position ${position ?? 0} (message ${id}): ${shown}${
        characters > QUEUE_PREVIEW_CHARACTERS
          ? md`… [${QUEUE_PREVIEW_CHARACTERS} of ${
            grouped(characters)
          } characters]`
          : ""
      }`,
    );
  }
  if (pending > first.length) {
    markdown.item(
      md`and ${
        grouped(pending - first.length)
      } more; manage_enqueued_messages list shows ${
        first.length < QUEUE_PREVIEWS ? "them" : "all"
      }`,
    );
  }
  return markdown;
}

function timestamps({ session, facts }: SessionView): Markdown {
  const markdown = new Markdown().heading(3, md`Timestamps`)
    .field("Created", second(session.createdAt))
    .field("Updated", second(session.updatedAt));
  if (session.archivedAt !== null) {
    markdown.field("Archived", second(session.archivedAt));
  }
  const { removedTree } = facts;
  if (removedTree !== undefined) {
    const { at, runner, detail } = removedTree;
    markdown.field(
      "Its tree was removed",
      md`${second(at)}, by runner ${runner}: ${detail}`,
    );
  } else if (session.trashAfter !== null) {
    markdown.field("Its tree is kept until", second(session.trashAfter));
  }
  return markdown;
}
