/**
 * Listens for HTTP and looks after its connections: no more than the process
 * has descriptors for, none that sends nothing, none that sends for ever.
 *
 * `Deno.serve` alone closes no connection of its own accord, and its listener
 * ends for good when descriptors run out. So connections are accepted here and
 * handed to Deno one by one. That function of Deno is not documented: where it
 * is missing, `Deno.serve` takes over, and a proxy in front has to look after
 * connections.
 *
 * @module
 */

/** Answers one request of a client's address; never rejects. */
export type HttpAnswer = (
  request: Request,
  address: string,
) => Promise<Response>;

/** Bounds of connections. */
export interface ConnectionLimits {
  /** Connections at once. */
  readonly most: number;
  /** How long one may take to its first request, in milliseconds. */
  readonly firstRequestMs: number;
  /** How long one may rest between requests, in milliseconds. */
  readonly idleMs: number;
  /** How often connections are looked through, in milliseconds. */
  readonly everyMs: number;
}

/** Bounds that hold unless a test has its own; `most` follows the machine. */
export const CONNECTION_LIMITS: Omit<ConnectionLimits, "most"> = {
  firstRequestMs: 15_000,
  idleMs: 75_000,
  everyMs: 1_000,
};

/** What became of the listener. */
export interface ListenerEvent {
  readonly kind:
    | "accept_failed"
    | "connections_full"
    | "connections_unbounded";
  readonly error?: unknown;
}

/** A listener. */
export interface HttpListener {
  /** Where it listens. */
  readonly address: Deno.NetAddr;
  /** Resolves when it was shut down; rejects when it ended by itself. */
  readonly finished: Promise<void>;
  /** Accepts no more, and resolves when every answer under way was sent. */
  shutdown(): Promise<void>;
}

/** Settings of a listener. */
export interface ListenOptions {
  readonly hostname: string;
  /** 0 picks one. */
  readonly port: number;
  readonly answer: HttpAnswer;
  readonly limits: ConnectionLimits;
  readonly report: (event: ListenerEvent) => void;
}

/** How long a failed accept is left alone, in milliseconds. */
const ACCEPT_PAUSE_MS = 100;
/** Descriptors that are not for connections: files, database, pipes. */
const RESERVED_DESCRIPTORS = 64;
/** Connections where the limit of descriptors is not known. */
const DEFAULT_MOST = 1_000;
const LARGEST_MOST = 16_384;

/** Connections that the limit of descriptors leaves room for. */
export async function mostConnections(): Promise<number> {
  const limit = Number(await descriptorLimit());
  if (!Number.isInteger(limit) || limit <= 0) return DEFAULT_MOST;
  const left = limit - RESERVED_DESCRIPTORS;
  return Math.max(8, Math.min(LARGEST_MOST, Math.floor(left * 0.9)));
}

/**
 * The limit of descriptors as a text, or none. A shell is asked, which inherits
 * it: Deno keeps /proc from every process that may not do everything.
 */
async function descriptorLimit(): Promise<string> {
  if (Deno.build.os === "windows") return "";
  const shell = new Deno.Command("sh", {
    args: ["-c", "ulimit -n"],
    stdin: "null",
    stderr: "null",
  });
  const { stdout } = await shell.output()
    .catch(() => ({ stdout: new Uint8Array() })); // There is no shell.
  return new TextDecoder().decode(stdout);
}

/** Listens. @throws What the system says, where it cannot. */
export function listenHttp(options: ListenOptions): HttpListener {
  const serveConnection = connectionServer();
  if (serveConnection === undefined) {
    options.report({ kind: "connections_unbounded" });
    return serveUnbounded(options);
  }
  return new BoundedListener(options, serveConnection);
}

/** Waits a moment, or less where something ends before. */
async function pause(ended?: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ACCEPT_PAUSE_MS);
  ended?.then(resolve, () => resolve());
  await promise;
  clearTimeout(timer);
}

interface ServedConnection {
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

type ServeConnection = (
  connection: Deno.TcpConn,
  signal: Closing,
  handler: (
    request: Request,
    info: { readonly completed: Promise<void> },
  ) => Promise<Response>,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ServedConnection;

/** The function behind `Deno.serve` that serves one connection. */
function connectionServer(): ServeConnection | undefined {
  const { internal } = Deno as unknown as { readonly internal?: symbol };
  if (internal === undefined) return undefined;
  const inside = Reflect.get(Deno, internal) as
    | { readonly serveHttpOnConnection?: ServeConnection }
    | undefined;
  return inside?.serveHttpOnConnection;
}

function serveUnbounded(
  { hostname, port, answer }: ListenOptions,
): HttpListener {
  const server = Deno.serve(
    { hostname, port, onListen: () => {} },
    (request, { remoteAddr }) => answer(request, remoteAddr.hostname),
  );
  return {
    address: server.addr,
    finished: server.finished,
    shutdown: () => server.shutdown(),
  };
}

/** What is known of one connection. */
interface Connection {
  readonly served: ServedConnection;
  readonly close: () => void;
  /** Requests whose answer was not sent yet. */
  open: number;
  /** Whether a request ever came. */
  hasAsked: boolean;
  /** When it was accepted, or its latest answer was sent. */
  restsSince: number;
}

/**
 * Ends a connection at once. It stands in for an `AbortSignal`, which would
 * report as uncaught what Deno throws when the connection has just ended.
 */
class Closing {
  #end: (() => void) | undefined;

  addEventListener(_type: "abort", end: () => void): void {
    this.#end = end;
  }

  now(): void {
    try {
      this.#end?.();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }
}

class BoundedListener implements HttpListener {
  readonly address: Deno.NetAddr;
  readonly finished: Promise<void>;
  readonly #options: ListenOptions;
  readonly #serve: ServeConnection;
  readonly #listener: Deno.TcpListener;
  /** In the order of acceptance; one that rested moves to the end. */
  readonly #connections = new Set<Connection>();
  #isStopping = false;
  #isFull = false;

  constructor(options: ListenOptions, serve: ServeConnection) {
    this.#options = options;
    this.#serve = serve;
    const { hostname, port } = options;
    this.#listener = Deno.listen({ hostname, port });
    this.address = this.#listener.addr as Deno.NetAddr;
    const watch = setInterval(
      () => this.#closeResting(),
      options.limits.everyMs,
    );
    this.finished = this.#accept().finally(() => clearInterval(watch));
    // Whoever shuts it down may look at it later, or never.
    this.finished.catch(() => {});
  }

  async shutdown(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#listener.close();
    }
    await this.finished;
    // One that is between two requests has nothing to wait for.
    await Promise.all(
      [...this.#connections].map((one) => {
        if (one.open === 0) one.close();
        return one.served.shutdown();
      }),
    );
  }

  async #accept(): Promise<void> {
    while (!this.#isStopping) {
      let connection: Deno.TcpConn;
      try {
        connection = await this.#listener.accept() as Deno.TcpConn;
      } catch (error) {
        if (this.#isStopping) return;
        if (error instanceof Deno.errors.BadResource) throw error;
        // Out of descriptors, or a client that left at once: the listener is
        // whole, and whoever comes later is served again.
        this.#options.report({ kind: "accept_failed", error });
        this.#closeLongestResting();
        await pause();
        continue;
      }
      if (await this.#makeRoom()) this.#take(connection);
      else connection.close();
    }
  }

  /** Whether there is room for one more: who keeps silent longest gives way. */
  async #makeRoom(): Promise<boolean> {
    const isFull = this.#connections.size >= this.#options.limits.most;
    if (isFull && !this.#isFull) {
      this.#options.report({ kind: "connections_full" });
    }
    this.#isFull = isFull;
    if (!isFull) return true;
    const left = this.#closeLongestResting();
    if (left === undefined) return false; // All are at work.
    // Its descriptor is free only when it has ended. Accepting goes on without
    // waiting for that, and those of a burst would use up all there are.
    await pause(left.finished);
    return true;
  }

  #take(connection: Deno.TcpConn): void {
    const { hostname } = connection.remoteAddr as Deno.NetAddr;
    const closing = new Closing();
    const served = this.#serve(
      connection,
      closing,
      (request, { completed }) => {
        this.#begin(one, completed);
        return this.#options.answer(request, hostname);
      },
      () => new Response(null, { status: 500 }),
      () => {},
    );
    const one: Connection = {
      served,
      close: () => {
        this.#connections.delete(one);
        closing.now();
      },
      open: 0,
      hasAsked: false,
      restsSince: performance.now(),
    };
    this.#connections.add(one);
    const forget = () => this.#connections.delete(one);
    served.finished.then(forget, forget);
  }

  /** A request is under way until its answer, a stream perhaps, was sent. */
  #begin(connection: Connection, completed: Promise<void>): void {
    connection.open++;
    connection.hasAsked = true;
    const end = () => {
      connection.open--;
      connection.restsSince = performance.now();
      if (this.#connections.delete(connection)) {
        this.#connections.add(connection);
      }
    };
    completed.then(end, end);
  }

  #closeResting(): void {
    const { firstRequestMs, idleMs } = this.#options.limits;
    const now = performance.now();
    for (const one of this.#connections) {
      const limit = one.hasAsked ? idleMs : firstRequestMs;
      if (one.open === 0 && now - one.restsSince > limit) one.close();
    }
  }

  /** The one that was closed; none where all are at work. */
  #closeLongestResting(): ServedConnection | undefined {
    for (const one of this.#connections) {
      if (one.open > 0) continue;
      one.close();
      return one.served;
    }
    return undefined;
  }
}
