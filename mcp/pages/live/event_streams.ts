/**
 * Server-sent events: answers that stay open, for what is live on a page.
 *
 * All streams of a server share one timer, and there is none while nobody
 * listens. A client that does not read is let go; it comes back with the id of
 * the last event that it saw. So does every client now and then. Whoever signed
 * out or may no longer look stops to see at once.
 * The form: https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @module
 */

/** An event. */
export interface LiveEvent {
  /** What kind; a script listens for it. */
  readonly event: string;
  /** What it says, without line breaks. */
  readonly data: string;
  /** Where a client goes on that lost the stream, without line breaks. */
  readonly id?: string;
}

/** Sends events to one client. */
export type SendEvent = (event: LiveEvent) => void;

/** A stream begins: it answers with what ends it; its promise is waited for. */
export type BeginStream = (send: SendEvent) => (() => unknown) | void;

/** Who signed in and listens. */
export interface StreamHolder {
  /** What tells the sign-in from others. */
  readonly signIn: string;
  /** Whom it names, and what they might do when the stream began. */
  readonly standing: string;
  /** Their name; null where an API key has none. */
  readonly name: string | null;
  /** When the sign-in ends, in milliseconds since 1970. */
  readonly until: number;
}

/** Looks once at who may look; the answer says it of each. */
export type ReviewHolders = () => Promise<(holder: StreamHolder) => boolean>;

/** Streams at once. */
const MAX_STREAMS = 1_000;
/** Between two signs of life, in milliseconds: proxies close what is silent. */
const SIGN_MS = 20_000;
/** Between two looks at who may still listen, in milliseconds. */
const REVIEW_MS = 1_000;
/** Signs of life until a stream is ended and its client comes back. */
const MAX_SIGNS = 45;
/** Bytes that a client may be behind. */
const MAX_BEHIND = 1024 * 1024;
/** How long a client waits before it comes back, in milliseconds. */
const RETRY_MS = 2_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // nginx would hold events back.
  "x-accel-buffering": "no",
};

interface Stream {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly holder: StreamHolder | undefined;
  signs: number;
}

/** The streams of a server. */
export class EventStreams {
  readonly #streams = new Set<Stream>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #reviewTimer: ReturnType<typeof setInterval> | undefined;
  #review: ReviewHolders | undefined;
  #isReviewing = false;
  #isClosed = false;

  /** How many are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** Ends from now on the streams of whoever may no longer look. */
  reviewBy(review: ReviewHolders): void {
    this.#review = review;
  }

  /** Ends the streams of a sign-in that was given up. */
  endOf(signIn: string): void {
    for (const stream of [...this.#streams]) {
      if (stream.holder?.signIn === signIn) stream.end();
    }
  }

  /**
   * Opens one, for whoever signed in or for a program; undefined where there are
   * too many, or the server stops.
   */
  open(begin: BeginStream, holder?: StreamHolder): Response | undefined {
    if (this.#isClosed || this.#streams.size >= MAX_STREAMS) return undefined;
    const encoder = new TextEncoder();
    let stop: ReturnType<BeginStream>;
    let isOver = false;
    const forget = (): unknown => {
      if (isOver) return;
      isOver = true;
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#stopSigns();
      return stop?.();
    };
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream: Stream = {
      holder,
      signs: 0,
      write(text) {
        if (isOver || controller === undefined) return;
        if ((controller.desiredSize ?? 0) < -MAX_BEHIND) return stream.end();
        controller.enqueue(encoder.encode(text));
      },
      end() {
        if (isOver) return;
        void forget();
        controller?.close();
      },
    };
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given;
        this.#streams.add(stream);
        this.#startSigns();
        stream.write(`retry: ${RETRY_MS}\n\n`);
        stop = begin((event) => stream.write(textOf(event)));
      },
      cancel: async () => {
        await forget();
      },
    }, new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }));
    return new Response(body, { headers: HEADERS });
  }

  /** Ends all, and opens none from then on. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) stream.end();
  }

  #startSigns(): void {
    this.#timer ??= setInterval(() => {
      for (const stream of [...this.#streams]) {
        stream.signs++;
        if (stream.signs > MAX_SIGNS) stream.end();
        else stream.write(":\n\n");
      }
    }, SIGN_MS);
    this.#reviewTimer ??= setInterval(
      () => void this.#endUnwelcome(),
      REVIEW_MS,
    );
  }

  async #endUnwelcome(): Promise<void> {
    const held = [...this.#streams].filter(({ holder }) =>
      holder !== undefined
    );
    if (
      this.#isReviewing || this.#review === undefined || held.length === 0
    ) return;
    this.#isReviewing = true;
    try {
      const mayLook = await this.#review();
      for (const stream of held) {
        if (stream.holder !== undefined && !mayLook(stream.holder)) {
          stream.end();
        }
      }
    } finally {
      this.#isReviewing = false;
    }
  }

  #stopSigns(): void {
    clearInterval(this.#timer);
    clearInterval(this.#reviewTimer);
    this.#timer = undefined;
    this.#reviewTimer = undefined;
  }
}

function textOf({ event, data, id }: LiveEvent): string {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${data}\n\n`;
}
