/**
 * A part of a transcript as markup. Whatever an agent or a tool said is text
 * here, and stays text.
 *
 * @module
 */
import type { ListedTurn } from "../../../store/board/mod.ts";
import { figure, json, longText, text } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { state, type Tone } from "../parts.ts";
import { type DiffGap, type DiffLine, diffLines } from "./diff.ts";
import type { Block } from "./transcript.ts";

/** Characters of one text of a tool at most. */
const TOOL_CHARACTERS = 8_000;
/** Lines of a difference at most. */
const DIFF_LINES = 300;
/** Characters of one of them at most. */
const LINE_CHARACTERS = 2_000;
/** Parts of a tool's output, and steps of a plan, at most. */
const MAX_PARTS = 50;

const CALL_STATES: Readonly<Record<string, readonly [string, Tone]>> = {
  pending: ["Waiting", "calm"],
  in_progress: ["Running", "calm"],
  completed: ["Done", "good"],
  failed: ["Failed", "bad"],
};
const STEP_MARKS: Readonly<Record<string, string>> = {
  completed: "✓ done:",
  in_progress: "▸ now:",
  pending: "◦ to do:",
};
const OUTCOMES: Readonly<Record<string, readonly [string, Tone]>> = {
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  lost: ["Lost", "warn"],
  interrupted: ["Interrupted", "calm"],
  parked: ["Parked", "calm"],
};
const TURN_KINDS: Readonly<Record<string, string>> = {
  start: "Start",
  message: "Message",
  wake: "Woken",
  recovery: "Goes on",
  summary: "Sums up",
};

/**
 * The head of a turn: what was said, and by whom; with a fork after it where
 * `forks` is the session that may be forked.
 */
export function turnItem(turn: ListedTurn, forks: number | undefined): Html {
  const { prompt, promptCharacters } = turn;
  return markup`<li class="turn" id="turn${turn.id}"><h3>Turn ${turn.ordinal}: ${
    TURN_KINDS[turn.kind] ?? turn.kind
  }${turn.author !== null && markup` from ${text(turn.author)}`} ${
    clock(turn.leasedAt)
  }</h3>${
    prompt !== null &&
    markup`<p class="long">${longText(prompt)}${
      promptCharacters > prompt.length &&
      markup` <span class="muted">… ${
        figure(promptCharacters)
      } characters in all</span>`
    }</p>`
  }${
    forks !== undefined && prompt !== null && turn.kind !== "summary" &&
    markup`<form class="levers" method="post" action="${PATHS.sessions}/${forks}/do"><input type="hidden" name="turn" value="${turn.id}"><button name="do" value="fork" class="quiet">Fork after turn ${turn.ordinal}</button></form>`
  }</li>`;
}

/** How a turn ended. */
export function outcomeState(outcome: string): Html {
  return state(...OUTCOMES[outcome] ?? [outcome.slice(0, 40), "calm"]);
}

/** A block. */
export function blockItem(block: Block): Html {
  return markup`<li class="block ${kindClass(block.kind)}" id="${block.key}">${
    bodyOf(block)
  }</li>`;
}

/** A class of ours, whatever an agent calls its events. */
function kindClass(kind: string): string {
  return ["text", "thought", "tool", "plan", "stderr", "ended", "notice"]
      .includes(kind)
    ? `is-${kind}`
    : "is-other";
}

function bodyOf(block: Block): Html {
  const { kind, payload } = block;
  const words = block.text;
  switch (kind) {
    case "thought":
      return markup`<details><summary>Thought ${
        clock(block.at)
      }</summary><p class="long">${longText(words)}</p></details>`;
    case "tool":
      return tool(block);
    case "plan":
      return plan(payload);
    case "stderr":
      return markup`<details><summary>Standard error ${
        clock(block.at)
      }</summary><pre class="json">${longText(words)}</pre></details>`;
    case "ended": {
      const outcome = String(payload.outcome ?? "over");
      return markup`<p>${outcomeState(outcome)} <span class="long">${
        typeof payload.detail === "string" && longText(payload.detail)
      }</span> ${clock(block.at)}</p>`;
    }
    case "notice":
    case "question":
      return markup`<p>${
        state(kind === "notice" ? "Note" : "Question", "calm")
      } <span class="long">${
        longText(words || String(payload.message ?? ""))
      }</span> ${clock(block.at)}</p>`;
    default:
      return words !== ""
        ? markup`<p class="long">${longText(words)}</p>`
        : markup`<details><summary>${text(kind.slice(0, 100))} ${
          clock(block.at)
        }</summary>${json(payload)}</details>`;
  }
}

function tool({ payload, text: title, at }: Block): Html {
  const [word, tone] = CALL_STATES[String(payload.status)] ??
    ["Called", "calm"] as const;
  const content = Array.isArray(payload.content) ? payload.content : [];
  const { rawInput, rawOutput } = payload;
  const isDiff = content.some((part) => part?.type === "diff");
  return markup`<details${isDiff && " open"}><summary>${state(word, tone)} ${
    text(title === "" ? "A tool" : title.slice(0, 300))
  } ${
    typeof payload.kind === "string" &&
    markup`<span class="muted">${text(payload.kind.slice(0, 40))}</span>`
  } ${clock(at)}</summary>
${content.slice(0, MAX_PARTS).map(part)}${
    content.length > MAX_PARTS &&
    markup`<p class="muted">${content.length - MAX_PARTS} more parts</p>`
  }${
    rawInput !== undefined &&
    markup`<p class="muted">Input</p>${cutJson(rawInput)}`
  }${
    rawOutput !== undefined && content.length === 0 &&
    markup`<p class="muted">Output</p>${cutJson(rawOutput)}`
  }</details>`;
}

/** A part of a tool's output, as the protocol of agents has it. */
function part(value: unknown): Html {
  const given = isRecord(value) ? value : {};
  if (given.type === "diff") return difference(given);
  const content = isRecord(given.content) ? given.content : {};
  return typeof content.text === "string"
    ? markup`<pre class="json">${cutText(content.text)}</pre>`
    : cutJson(value);
}

function difference(
  { path, oldText, newText }: Readonly<Record<string, unknown>>,
): Html {
  const before = typeof oldText === "string" ? oldText : "";
  const after = typeof newText === "string" ? newText : "";
  const lines = diffLines(before, after);
  return markup`<figure class="diff"><figcaption>${
    text(String(path ?? ""))
  }</figcaption>${
    lines === undefined
      ? [["Before", before] as const, ["After", after] as const].map(
        ([name, words]) =>
          markup`<details><summary>${name}: ${
            figure(words.split("\n").length)
          } lines, too many of which differ to be set side by side</summary><pre class="json">${
            cutText(words)
          }</pre></details>`,
      )
      : markup`<pre tabindex="0">${
        lines.slice(0, DIFF_LINES).map(diffItem)
      }</pre>`
  }${
    lines !== undefined && lines.length > DIFF_LINES &&
    markup`<p class="muted">${figure(lines.length - DIFF_LINES)} more lines</p>`
  }</figure>`;
}

function diffItem(one: DiffLine | DiffGap): Html {
  if (one.kind === "gap") {
    return markup`<span class="gap">${figure(one.lines)} lines as before
</span>`;
  }
  const marks = { same: " ", old: "−", new: "+" };
  const names = { same: "", old: "taken out: ", new: "added: " };
  return markup`<span class="${one.kind}"><span class="unseen">${
    names[one.kind]
  }</span><span aria-hidden="true">${marks[one.kind]}</span>${
    longText(one.text.slice(0, LINE_CHARACTERS))
  }
</span>`;
}

function plan({ entries }: Readonly<Record<string, unknown>>): Html {
  const steps = Array.isArray(entries) ? entries.filter(isRecord) : [];
  return markup`<p><strong>Plan</strong></p><ul class="plan">${
    steps.slice(0, MAX_PARTS).map((step) =>
      markup`<li>${STEP_MARKS[String(step.status)] ?? "◦"} ${
        longText(String(step.content ?? "").slice(0, 2_000))
      }</li>`
    )
  }</ul>`;
}

function cutJson(value: unknown): Html {
  const whole = JSON.stringify(value) ?? "null";
  return whole.length <= TOOL_CHARACTERS
    ? json(value)
    : markup`<pre class="json">${cutText(whole)}</pre>`;
}

function cutText(value: string): Html {
  return value.length <= TOOL_CHARACTERS
    ? longText(value)
    : markup`${
      longText(value.slice(0, TOOL_CHARACTERS))
    } <span class="muted">… ${figure(value.length)} characters in all</span>`;
}

function clock(moment: Date | null): Html {
  if (moment === null) return markup``;
  const iso = moment.toISOString();
  return markup`<time class="muted" datetime="${iso}">${
    iso.slice(0, 19).replace("T", " ")
  } UTC</time>`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
