/**
 * Serves HTTP until a signal asks to stop: new requests are refused, those
 * under way finish within a limit.
 *
 * @module
 */
import type { Log } from "../../mcp/mod.ts";
import type { Config } from "../settings/config.ts";
import { bracketed, LOOPBACK_NAMES, reachableHost } from "../settings/hosts.ts";
import {
  CONNECTION_LIMITS,
  type HttpListener,
  listenHttp,
  mostConnections,
} from "./http_listener.ts";
import type { StopSignal } from "./shutdown.ts";
import { StartError } from "./start_error.ts";

/** How long requests under way may take once a stop was asked for. */
const DRAIN_LIMIT_MS = 10_000;

/** What answers requests and can be asked to come to an end. */
export interface DrainableHandler {
  /** Answers one request from a client's address; never rejects. */
  fetch(request: Request, address: string): Promise<Response>;
  /** Refuses new requests, and resolves when none is under way. */
  drain(): Promise<void>;
}

/** What is served, and where. */
export interface ServedHttp {
  readonly host: string;
  /** 0 picks one. */
  readonly port: number;
  readonly handler: DrainableHandler;
  readonly log: Log;
  /** Called with the port once it listens. */
  readonly greet: (port: number) => Promise<void>;
  /** Starts what runs beside it, and ends with it. */
  readonly whileServing?: () => AsyncDisposable;
  /** Starts what calls it, once it listens; ended while it still answers. */
  readonly callers?: (port: number) => AsyncDisposable;
}

/** Serves until the signal comes; the exit code. @throws {StartError} */
export async function serveUntilStopped(
  stop: StopSignal,
  served: ServedHttp,
): Promise<number> {
  const { host, handler, log } = served;
  const server = await listen(served);
  const { port } = server.address;
  log.info("listening", { address: addressOf({ host, port }) });
  await using stack = new AsyncDisposableStack();
  if (served.whileServing !== undefined) stack.use(served.whileServing());
  await served.greet(port);
  const callers = served.callers?.(port);

  // Without its listener the process is of no use to anybody: whoever started
  // it is told by its exit, and may start it again.
  const deaf = server.finished.then(() => new Error("It was shut down"))
    .catch((error: unknown) => error);
  const signal = await Promise.race([stop.received, deaf]);
  if (typeof signal !== "string") {
    log.error("listener_ended", { error: signal });
    await callers?.[Symbol.asyncDispose]();
    await withLimit(handler.drain(), DRAIN_LIMIT_MS);
    return 1;
  }
  log.info("stopping", { signal });
  await callers?.[Symbol.asyncDispose]();
  // What is still under way at the limit ends with the process.
  await withLimit(
    handler.drain().then(() => server.shutdown()),
    DRAIN_LIMIT_MS,
  );
  return 0;
}

/** The address of a server as a URL without path. */
export function addressOf(
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return `http://${bracketed(host)}:${port}`;
}

/** The address of a server as a client on this machine is to have it. */
export function clientAddressOf(
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return addressOf({ host: reachableHost(host), port });
}

/** The names that a server answers to. */
export function hostNamesOf(
  { host, allowedHosts }: Config<"host" | "allowedHosts">,
): readonly string[] {
  return allowedHosts ?? [...LOOPBACK_NAMES, bracketed(host)];
}

async function listen(
  { host, port, handler, log }: ServedHttp,
): Promise<HttpListener> {
  try {
    return listenHttp({
      hostname: host,
      port,
      answer: (request, address) => handler.fetch(request, address),
      limits: { ...CONNECTION_LIMITS, most: await mostConnections() },
      report: ({ kind, error }) => log.warn(kind, { error }),
    });
  } catch (error) {
    const reason = error instanceof Deno.errors.AddrInUse
      ? "the port is in use; choose another with --port or PORT"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new StartError(`Cannot listen on ${host}:${port}: ${reason}`);
  }
}

async function withLimit(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
