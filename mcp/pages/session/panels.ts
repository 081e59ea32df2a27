/**
 * The panels of a session's page that change while it is open.
 *
 * Each has an id and is whole, so that the page's script can put a new one in
 * the place of the old one.
 *
 * @module
 */
import {
  forkPointOf,
  type QueuedMessage,
} from "../../../store/sessions/mod.ts";
import type { ListedTurn } from "../../../store/board/mod.ts";
import { withoutCredentials } from "../../log.ts";
import { standingOf } from "../board/standing.ts";
import { distance, dollars, figure, longText, text, time } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { facts, panel, sessionLink, state, table } from "../parts.ts";
import type { FieldLists } from "../read_form.ts";
import { outcomeState } from "./block.ts";
import { questionForm } from "./question_form.ts";
import {
  MAX_MESSAGES,
  MESSAGE_CHARACTERS,
  type SessionReading,
} from "./read_session.ts";

/** What panels are drawn with beside the reading. */
export interface PanelLook {
  /** Whether whoever looks may change anything. */
  readonly mayWrite: boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
  /** An answer that was refused. */
  readonly answer?: RefusedAnswer | undefined;
}

/** What was written in the form of a question, and refused. */
export interface RefusedAnswer {
  /** Number of the question. */
  readonly question: string;
  /** Its fields. */
  readonly fields: FieldLists;
}

/** Names of the panels, in their order. */
export const PANEL_NAMES = [
  "standing",
  "particulars",
  "questions",
  "queue",
  "turns",
  "git",
] as const;

/** Name of a panel. */
export type PanelName = typeof PANEL_NAMES[number];

const NOTHING = markup``;
/** How far a turn is that did not end. */
const PHASES: Readonly<Record<string, string>> = {
  queued: "Queued",
  leased: "Starting",
  delivered: "Under way",
};

/** All panels by name. */
export function panelsOf(
  reading: SessionReading,
  look: PanelLook,
): Readonly<Record<PanelName, Html>> {
  return {
    standing: standing(reading, look),
    particulars: particulars(reading, look),
    questions: questions(reading, look),
    queue: queue(reading, look),
    turns: turns(reading, look),
    git: git(reading),
  };
}

function standing(
  { session, facts: known, wakes }: SessionReading,
  { mayWrite, now }: PanelLook,
): Html {
  const [word, tone] = standingOf(session);
  const action = `${PATHS.sessions}/${session.id}/do`;
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet">${label}</button>`;
  const isUnderWay = session.status === "running" ||
    session.pausedBy === "elicitation";
  const isArchived = session.status === "archived";
  return markup`
<section class="panel" id="standing" aria-label="State">
  <p class="stand">${state(word, tone)} <span class="muted">since ${
    time(session.stateSince, now)
  }</span>${
    session.waitUntil !== null && markup` until ${time(session.waitUntil, now)}`
  }</p>
  ${
    session.failureReason !== null && session.status === "failed" &&
    markup`<p class="reason">${longText(session.failureReason)}</p>`
  }${
    session.drivenBy === "client"
      ? markup`<p class="muted">Its own client drives it: no runner takes a turn of it, and only its client reads its queue.</p>`
      : session.status === "waiting" && !known.hasRunner &&
        markup`<p class="reason">No runner that runs its agent was seen in the last two minutes.</p>`
  }${
    session.status === "waiting" && known.refusedUntil !== null &&
    markup`<p class="reason">Its agent's login is at its limit until ${
      time(known.refusedUntil, now)
    }; it goes on by itself then.</p>`
  }${
    wakes.length > 0 &&
    markup`<p class="muted">Wakes: ${
      wakes.map(({ conditions }) =>
        conditions.map((one) =>
          one.kind === "time"
            ? markup`${time(one.dueAt, now)} `
            : markup`when session ${one.watchedSessionId} tells ${
              one.eventName.replace("session_", "")
            } `
        )
      )
    }</p>`
  }
  ${
    mayWrite &&
    markup`<form class="buttons" method="post" action="${action}">${
      session.status === "running" && button("pause", "Pause")
    }${
      session.leaseNo > 0 && session.drivenBy === "runner" &&
      ["needs_input", "running", "waiting"].includes(session.status) &&
      session.waitReason !== "spot_queue" &&
      button("park", "Park until there is room")
    }${
      !isUnderWay && !isArchived && session.drivenBy === "runner" &&
      button("restart", session.leaseNo > 0 ? "Go on" : "Start")
    }${
      session.waitReason === "spot_queue" && button("start_now", "Start now")
    }${
      isArchived
        ? button("unarchive", "Bring back")
        : markup`<a href="${PATHS.sessions}/${session.id}/archive">Archive…</a>`
    }${session.drivenBy === "runner" && button("fork", "Fork")}</form>`
  }
</section>`;
}

function particulars(
  { session, schedulingClass, usd }: SessionReading,
  { now }: PanelLook,
): Html {
  const fork = forkPointOf(session);
  return markup`
<section class="panel" id="particulars" aria-label="What it is">
  ${
    facts([
      ["Root", text(session.agentRootKey ?? "none")],
      ["Agent", text(session.agentRuntime ?? "its client’s own")],
      ["Model", text(String(session.config.model ?? "the agent’s own"))],
      [
        "Class",
        markup`${schedulingClass.name}, precedence ${session.precedence}`,
      ],
      ["Started", time(session.createdAt, now)],
      ...(fork === undefined ? [] : [
        [
          "Forked",
          markup`from ${
            sessionLink(fork.sessionId)
          }, after its turn ${fork.turn}`,
        ] as const,
      ]),
      ...(session.heartbeatEnabled
        ? [
          [
            "Heartbeat",
            `after ${figure(session.heartbeatIntervalSeconds)} s of rest`,
          ] as const,
        ]
        : []),
      ...(usd === undefined ? [] : [
        ["List price", dollars(usd)] as const,
      ]),
    ])
  }
</section>`;
}

function questions(
  { session, questions: all }: SessionReading,
  { mayWrite, now, answer }: PanelLook,
): Html {
  const open = all.filter(({ status, isOverdue }) =>
    status === "pending" && !isOverdue
  );
  return markup`<div id="questions">${
    open.length > 0 &&
    panel("h-questions", "It asks", state("Asks you", "warn"), [
      ...open.map((one) =>
        questionForm(
          one,
          `${PATHS.sessions}/${session.id}/questions/${one.id}`,
          {
            now,
            mayAnswer: mayWrite,
            ...(answer?.question === String(one.id)
              ? { draft: answer.fields }
              : {}),
          },
        )
      ),
    ])
  }</div>`;
}

function queue(
  { session, messages, queue: counts }: SessionReading,
  { mayWrite, now }: PanelLook,
): Html {
  const shown = messages.filter(({ status }) => status !== "undelivered");
  const retired = messages.length - shown.length;
  return markup`
<section class="panel" id="queue" aria-labelledby="h-queue">
  <h2 id="h-queue"><span>Queue</span> <span class="count">${
    figure(counts.pending)
  }</span></h2>
  ${
    shown.length === 0
      ? markup`<p class="muted">Nothing waits to be said.</p>`
      : markup`<ol class="messages">${
        shown.map((one) =>
          message(one, session.id, { mayWrite, now, last: counts.pending })
        )
      }</ol>`
  }${
    counts.pending > MAX_MESSAGES &&
    markup`<p class="muted">And more: these are the first.</p>`
  }${
    retired > 0 &&
    markup`<p class="muted">${retired} were never said: the session was archived before.</p>`
  }
</section>`;
}

function message(
  one: QueuedMessage,
  sessionId: number,
  { mayWrite, now, last }: PanelLook & {
    /** The place at the queue's end. */
    readonly last: number;
  },
): Html {
  const { id, content, characters, position, status, origin, createdAt } = one;
  const isCut = characters > MESSAGE_CHARACTERS;
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet" aria-label="${label}: message ${id}">${label}</button>`;
  return markup`<li id="m${id}"><p class="long">${longText(content)}${
    isCut &&
    markup` <span class="muted">… ${figure(characters)} characters</span>`
  }</p><p class="muted">${text(origin)}, ${
    distance(createdAt.getTime() - now)
  }${status === "processing" && markup`, ${state("Being said", "good")}`}</p>${
    mayWrite && status === "pending" &&
    markup`<form class="levers" method="post" action="${PATHS.sessions}/${sessionId}/messages/${id}">${
      button("now", "Send now")
    }${(position ?? 1) > 1 && button("up", "Up")}${
      (position ?? 1) < last && button("down", "Down")
    }${button("delete", "Delete")}${
      !isCut && markup`<details><summary>Edit</summary>
<label for="edit${id}">Message ${id}</label>
<textarea id="edit${id}" name="content" rows="5" dir="auto">${content}</textarea>
<button name="do" value="edit" class="quiet">Save</button></details>`
    }<input type="hidden" name="position" value="${position ?? 1}"></form>`
  }</li>`;
}

function turns(
  { turns: listed, turnUsd }: SessionReading,
  { now }: PanelLook,
): Html {
  return markup`
<section class="panel" id="turns" aria-labelledby="h-turns">
  <h2 id="h-turns">Turns</h2>
  ${
    listed.length === 0
      ? markup`<p class="muted">None yet.</p>`
      : table("The latest turns", [
        { label: "Turn" },
        { label: "How it went" },
        { label: "Took", isFigure: true },
        { label: "Requests", isFigure: true },
        { label: "Tokens in", isFigure: true },
        { label: "Tokens out", isFigure: true },
        { label: "List price", isFigure: true },
      ], listed.map((turn) => [...turnRow(turn, now), priceOf(turn, turnUsd)]))
  }
</section>`;
}

function turnRow(turn: ListedTurn, now: number): (Html | string)[] {
  const { ordinal, kind, phase, outcome, failureClass, detail } = turn;
  const until = turn.endedAt?.getTime() ?? now;
  return [
    markup`<a href="#turn${turn.id}">${ordinal}</a> <span class="muted">${kind}</span>`,
    markup`${
      outcome === null
        ? state(PHASES[phase] ?? phase, "calm")
        : outcomeState(outcome)
    } ${failureClass !== null && text(failureClass)}${
      detail !== null && detail !== "" &&
      markup` <span class="muted wrap">${longText(detail.slice(0, 300))}</span>`
    }`,
    turn.leasedAt === null ? "" : lasted(until - turn.leasedAt.getTime()),
    figure(turn.requests),
    figure(turn.inputTokens),
    figure(turn.outputTokens),
  ];
}

function lasted(ms: number): string {
  return ms < 1_000 ? "under 1 s" : distance(ms).replace(/^in /, "");
}

/** What a turn cost; nothing is said of one that asked no model. */
function priceOf(
  { id, requests }: ListedTurn,
  turnUsd: SessionReading["turnUsd"],
): Html | string {
  const usd = turnUsd.get(id);
  if (usd !== undefined) return dollars(usd);
  return requests === 0 ? "" : markup`<span class="muted">no price</span>`;
}

function git({ session, turns: listed }: SessionReading): Html {
  if (session.gitRoot === null) return markup`<div id="git"></div>`;
  const after = listed.find(({ gitAfter }) => gitAfter !== null)?.gitAfter;
  const dirty = Array.isArray(after?.dirty) ? after.dirty.map(String) : [];
  const unpushed = Number(after?.unpushed ?? 0);
  return markup`<div id="git">${
    panel(
      "h-git",
      "Git",
      unpushed > 0
        ? state(`${unpushed} unpushed`, "warn")
        : dirty.length > 0
        ? state("Not committed", "warn")
        : NOTHING,
      [
        facts([
          ["Repository", text(withoutCredentials(session.gitRoot))],
          [
            "Branch",
            text(String(after?.branch ?? session.branch ?? "its default")),
          ],
          [
            "Head",
            text(String(after?.after ?? after?.head ?? "not known yet")),
          ],
        ]),
        markup`${
          dirty.length > 0 &&
          markup`<p class="muted">Not committed: ${
            figure(Number(after?.dirty_count ?? dirty.length))
          }</p><ul class="files">${
            dirty.slice(0, 50).map((file) => markup`<li>${text(file)}</li>`)
          }</ul>`
        }`,
      ],
    )
  }</div>`;
}
