/**
 * A transcript as it is read: words that came in pieces are joined, and what is
 * told of a tool call is put into one place.
 *
 * It takes events one by one, so that a page that is open and one that is loaded
 * anew show the same.
 *
 * @module
 */
import type { TranscriptEvent } from "../../../store/session_reads/mod.ts";

/** A part of a transcript. */
export interface Block {
  /** Names it on its page. */
  readonly key: string;
  /** The turn that it belongs to. */
  readonly turnId: number;
  /** What kind of event it is of. */
  readonly kind: string;
  /** When its last event came. */
  at: Date;
  /** Words. */
  text: string;
  /** What else is known, of all its events. */
  payload: Readonly<Record<string, unknown>>;
}

/** Words of one block at most, in characters; what follows begins another. */
const BLOCK_CHARACTERS = 4_000;
/** Tool calls that are kept in mind for what is told of them later. */
const MAX_CALLS = 300;

/** Kinds whose pieces are joined. */
const JOINED = ["text", "thought", "stderr"];
/** What says nothing to people. */
const SILENT = ["delivered", "conversation", "usage", "spawned"];

/** Joins events to blocks. */
export class Transcript {
  readonly #isByLine: boolean;
  #last: Block | undefined;
  readonly #calls = new Map<string, Block>();

  /** Without words yet. By line: each event of words is a line of its own. */
  constructor({ isByLine = false }: { readonly isByLine?: boolean } = {}) {
    this.#isByLine = isByLine;
  }

  /** Takes an event: the block that it begins or goes on with. */
  take(event: TranscriptEvent): Block | undefined {
    if (SILENT.includes(event.kind)) return undefined;
    const payload = recordOf(event.payload);
    if (event.kind === "tool") return this.#takeCall(event, payload);
    const block = this.#goesOn(event, payload) ?? {
      key: `e${event.turnId}-${event.seq}`,
      turnId: event.turnId,
      kind: event.kind,
      at: event.at,
      text: "",
      payload: {},
    };
    const isNextLine = this.#isByLine && block === this.#last;
    block.text += `${isNextLine ? "\n" : ""}${event.text ?? ""}`;
    block.payload = { ...block.payload, ...payload };
    block.at = event.at;
    this.#last = block;
    return block;
  }

  /** The block that words go on in. */
  #goesOn(
    { kind, turnId }: TranscriptEvent,
    { message_id }: Readonly<Record<string, unknown>>,
  ): Block | undefined {
    const last = this.#last;
    return last !== undefined && JOINED.includes(kind) && last.kind === kind &&
        last.turnId === turnId && last.payload.message_id === message_id &&
        last.text.length < BLOCK_CHARACTERS
      ? last
      : undefined;
  }

  #takeCall(
    event: TranscriptEvent,
    { toolCallId, ...payload }: Readonly<Record<string, unknown>>,
  ): Block {
    const name = toolCallId === undefined
      ? `${event.turnId} ${event.seq}`
      : `${event.turnId} ${toolCallId}`;
    const known = this.#calls.get(name);
    const block = known ?? {
      key: `e${event.turnId}-${event.seq}`,
      turnId: event.turnId,
      kind: "tool",
      at: event.at,
      text: "",
      payload: {},
    };
    block.text = event.text ?? block.text;
    block.payload = { ...block.payload, ...definedOf(payload) };
    block.at = event.at;
    this.#calls.set(name, block);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) {
      this.#calls.delete(oldest);
    }
    // Words after a call are another message.
    if (known === undefined) this.#last = block;
    return block;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : { value };
}

/** What an update leaves out stays as it was. */
function definedOf(
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(payload).filter(([, value]) =>
      value !== null && value !== undefined
    ),
  );
}
