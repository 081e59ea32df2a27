/**
 * A part of a transcript as markup. Whatever an agent or a tool said is text
 * here, and stays text.
 *
 * @module
 */
import type { ListedTurn } from "../../../store/board/mod.ts";
import { figure, json, text } from "../format.ts";
import { type Html, markup } from "../markup.ts";
import { state, type Tone } from "../parts.ts";
import { diffLines } from "./diff.ts";
import type { Block } from "./transcript.ts";

/** Characters of one text of a tool at most. */
const TOOL_CHARACTERS = 8_000;
/** Lines of a difference at most. */
const DIFF_LINES = 300;
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
const OUTCOME_TONES: Readonly<Record<string, Tone>> = {
  done: "good",
  failed: "bad",
  lost: "warn",
};
const TURN_KINDS: Readonly<Record<string, string>> = {
  start: "Start",
  message: "Message",
  wake: "Woken",
  recovery: "Goes on",
  summary: "Sums up",
};

/** The head of a turn: what was said, and by whom. */
export function turnItem(turn: ListedTurn): Html {
  const { prompt, promptCharacters } = turn;
  return markup`<li class="turn" id="turn${turn.id}"><h3>Turn ${turn.ordinal}: ${
    TURN_KINDS[turn.kind] ?? turn.kind
  }${turn.author !== null && markup` from ${text(turn.author)}`} ${
    clock(turn.leasedAt)
  }</h3>${
    prompt !== null &&
    markup`<p class="long">${text(prompt)}${
      promptCharacters > prompt.length &&
      markup` <span class="muted">… ${
        figure(promptCharacters)
      } characters in all</span>`
    }</p>`
  }</li>`;
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
      }</summary><p class="long">${text(words)}</p></details>`;
    case "tool":
      return tool(block);
    case "plan":
      return plan(payload);
    case "stderr":
      return markup`<details><summary>Standard error ${
        clock(block.at)
      }</summary><pre class="json">${text(words)}</pre></details>`;
    case "ended": {
      const outcome = String(payload.outcome ?? "over");
      return markup`<p>${
        state(outcome.slice(0, 40), OUTCOME_TONES[outcome] ?? "calm")
      } ${typeof payload.detail === "string" && text(payload.detail)} ${
        clock(block.at)
      }</p>`;
    }
    case "notice":
    case "question":
      return markup`<p>${
        state(kind === "notice" ? "Note" : "Question", "calm")
      } ${text(words || String(payload.message ?? ""))} ${clock(block.at)}</p>`;
    default:
      return words !== ""
        ? markup`<p class="long">${text(words)}</p>`
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
  const lines = diffLines(
    typeof oldText === "string" ? oldText : "",
    typeof newText === "string" ? newText : "",
  );
  const marks = { same: " ", old: "−", new: "+" };
  const names = { same: "", old: "taken out: ", new: "added: " };
  return markup`<figure class="diff"><figcaption>${
    text(String(path ?? ""))
  }</figcaption><pre tabindex="0">${
    lines.slice(0, DIFF_LINES).map(({ kind, text: line }) =>
      markup`<span class="${kind}"><span class="unseen">${
        names[kind]
      }</span><span aria-hidden="true">${marks[kind]}</span>${
        text(line.slice(0, 2_000))
      }
</span>`
    )
  }</pre>${
    lines.length > DIFF_LINES &&
    markup`<p class="muted">${figure(lines.length - DIFF_LINES)} more lines</p>`
  }</figure>`;
}

function plan({ entries }: Readonly<Record<string, unknown>>): Html {
  const steps = Array.isArray(entries) ? entries.filter(isRecord) : [];
  return markup`<p><strong>Plan</strong></p><ul class="plan">${
    steps.slice(0, MAX_PARTS).map((step) =>
      markup`<li>${STEP_MARKS[String(step.status)] ?? "◦"} ${
        text(String(step.content ?? "").slice(0, 2_000))
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
    ? text(value)
    : markup`${text(value.slice(0, TOOL_CHARACTERS))} <span class="muted">… ${
      figure(value.length)
    } characters in all</span>`;
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
