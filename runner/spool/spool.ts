/**
 * Events of a turn, on the disk before anywhere else.
 *
 * What an agent writes never waits for the network: it is appended here, and
 * sent from here. A runner that comes up again finds what its predecessor had
 * no time to send. One file a lease, one JSON value a line: first what the
 * lease is, then events, last how the turn ended.
 *
 * @module
 */
import type {
  EndRequest,
  TurnEvent,
  TurnEventKind,
} from "../../fleet/turns/protocol.ts";
import { type CutOptions, cutPayload } from "./cut_payload.ts";

/** Which lease the events belong to. */
export interface SpoolHeader {
  /** The turn. */
  readonly turn_id: number;
  /** Its session. */
  readonly session_id: number;
  /** The lease. */
  readonly lease_no: number;
  /** The marker of its processes. */
  readonly marker: string;
}

/** Events that are read back, and where the next ones begin. */
export interface SpoolBatch {
  /** In order. */
  readonly events: readonly TurnEvent[];
  /** Where to go on, in bytes. */
  readonly next: number;
}

/** Most bytes of a batch. */
export const MAX_BATCH_BYTES = 256 * 1024;
/** Most bytes of a turn's events; what comes after is counted, not kept. */
export const MAX_SPOOL_BYTES = 64 * 1024 * 1024;
/** What may wait for the disk before whoever adds is asked to wait. */
const MAX_HELD_CHARACTERS = 1024 * 1024;
/** What is kept whatever there was. */
const ALWAYS_KEPT: readonly TurnEventKind[] = [
  "spawned",
  "delivered",
  "conversation",
  "usage",
  "notice",
  "ended",
];

const CUT: CutOptions = { maxBytes: 200_000, keepBytes: 16_000 };

/** The events of one lease. */
export class Spool implements AsyncDisposable {
  /** What it belongs to. */
  readonly header: SpoolHeader;
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #now: () => number;
  readonly #began: number;
  readonly #maxBytes: number;
  #lastSeq = 0;
  #bytes = 0;
  #leftOut = 0;
  #held: string[] = [];
  #heldCharacters = 0;
  #isFlushing = false;
  #writing: Promise<void> = Promise.resolve();
  #isBroken = false;

  private constructor(
    file: Deno.FsFile,
    path: string,
    { header, now, maxBytes }: SpoolOptions,
  ) {
    this.#file = file;
    this.#path = path;
    this.header = header;
    this.#now = now;
    this.#began = now();
    this.#maxBytes = maxBytes ?? MAX_SPOOL_BYTES;
  }

  /** Begins the spool of a lease in a folder. */
  static async create(folder: string, options: SpoolOptions): Promise<Spool> {
    const { turn_id, lease_no } = options.header;
    const path = `${folder}/${turn_id}-${lease_no}.jsonl`;
    const file = await Deno.open(path, {
      create: true,
      truncate: true,
      read: true,
      write: true,
      mode: 0o600,
    });
    const spool = new Spool(file, path, options);
    spool.#put(options.header);
    await spool.flush();
    return spool;
  }

  /** `seq` of the last event; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Events that were only counted. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Whether the disk has refused: what comes now is lost. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Adds an event. It is on its way to the disk, not there yet. */
  add(kind: TurnEventKind, payload: Readonly<Record<string, unknown>>): void {
    if (this.#bytes > this.#maxBytes && !ALWAYS_KEPT.includes(kind)) {
      this.#leftOut++;
      return;
    }
    const event: TurnEvent = {
      seq: ++this.#lastSeq,
      after_ms: Math.round(this.#now() - this.#began),
      kind,
      payload: cutPayload(payload, CUT),
    };
    this.#put(event);
    void this.flush();
  }

  /** Resolves at once, or when the disk has caught up. */
  async ready(): Promise<void> {
    if (this.#heldCharacters > MAX_HELD_CHARACTERS) await this.flush();
  }

  /** Notes how the turn ended, for whoever has to send it. */
  async addEnd(end: EndRequest): Promise<void> {
    this.#put({ end });
    await this.flush();
  }

  /** Resolves when all that was added is written. */
  flush(): Promise<void> {
    // One that has not begun to write yet takes this along.
    if (this.#isFlushing) return this.#writing;
    this.#isFlushing = true;
    this.#writing = this.#writing.then(() => {
      this.#isFlushing = false;
      return this.#write();
    });
    return this.#writing;
  }

  /** Whole events from an offset on; 0 is the beginning. */
  async read(from: number): Promise<SpoolBatch> {
    await this.flush();
    return await readBatch(this.#path, from);
  }

  /** Removes it: all of it was taken. */
  async remove(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await Deno.remove(this.#path).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    try {
      this.#file.close();
    } catch {
      // It is closed.
    }
  }

  #put(value: object): void {
    const line = `${JSON.stringify(value)}\n`;
    this.#bytes += line.length;
    this.#held.push(line);
    this.#heldCharacters += line.length;
  }

  async #write(): Promise<void> {
    if (this.#held.length === 0 || this.#isBroken) return;
    const bytes = new TextEncoder().encode(this.#held.join(""));
    this.#held = [];
    this.#heldCharacters = 0;
    try {
      for (let at = 0; at < bytes.length;) {
        at += await this.#file.write(bytes.subarray(at));
      }
    } catch {
      this.#isBroken = true; // A full disk; the turn is ended for it.
    }
  }
}

/** What a spool is made with. */
export interface SpoolOptions {
  /** What it belongs to. */
  readonly header: SpoolHeader;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
  /** Most bytes of events. @default {MAX_SPOOL_BYTES} */
  readonly maxBytes?: number;
}

/** What a predecessor has left behind. */
export interface LeftSpool {
  /** Its file. */
  readonly path: string;
  /** What it belongs to. */
  readonly header: SpoolHeader;
  /** How the turn ended; undefined where the runner was ended first. */
  readonly end: EndRequest | undefined;
  /** Last event. */
  readonly lastSeq: number;
}

/** Reads the spools of a folder; those that cannot be read are removed. */
export async function readLeftSpools(
  folder: string,
): Promise<readonly LeftSpool[]> {
  const left: LeftSpool[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    const path = `${folder}/${name}`;
    const read = await readLeftSpool(path).catch(() => undefined);
    if (read === undefined) await Deno.remove(path).catch(() => {});
    else left.push(read);
  }
  return left;
}

async function readLeftSpool(path: string): Promise<LeftSpool | undefined> {
  const lines = (await Deno.readTextFile(path)).split("\n");
  // What was being written when the runner ended has no line's end.
  const whole = lines.slice(0, -1).map((line) => JSON.parse(line));
  const [header, ...rest] = whole;
  if (typeof header?.turn_id !== "number") return undefined;
  return {
    path,
    header,
    end: rest.find((value) => "end" in value)?.end,
    lastSeq: rest.findLast((value) => "seq" in value)?.seq ?? 0,
  };
}

/** Whole events of a spool's file from an offset on. */
export async function readBatch(
  path: string,
  from: number,
): Promise<SpoolBatch> {
  using file = await Deno.open(path, { read: true });
  await file.seek(from, Deno.SeekMode.Start);
  const buffer = new Uint8Array(MAX_BATCH_BYTES);
  let length = 0;
  for (;;) {
    const read = await file.read(buffer.subarray(length));
    if (read === null || read === 0) break;
    length += read;
  }
  const end = buffer.subarray(0, length).lastIndexOf(0x0a) + 1;
  const events = new TextDecoder().decode(buffer.subarray(0, end)).split("\n")
    .filter((line) => line !== "").map((line) => JSON.parse(line))
    .filter((value): value is TurnEvent => typeof value.seq === "number");
  return { events, next: from + end };
}
