/**
 * What a route of the REST interface is.
 *
 * One declaration serves three ends: its input schema validates what comes in
 * and its schemas are the OpenAPI document.
 *
 * @module
 */
import {
  type ArgsOf,
  type InputSchema,
  type OutputSchema,
  TEXT,
  type ValueOf,
} from "../schema.ts";
import type { Connection } from "../caller/connection.ts";
import type { Services } from "../services.ts";
import type { LiveParts } from "./fleet/follow.ts";

/** Where the routes live. */
export const PREFIX = "/api/v1";

/** What a route knows of its request beside the arguments. */
export interface RestCall {
  /** What the server is built from. */
  readonly services: Services;
  /** Where the client reached this server: scheme, host and port. */
  readonly origin: string;
  /** Aborted when the client leaves before its answer. */
  readonly signal: AbortSignal;
  /** `Last-Event-ID`: where a client lost a stream. */
  readonly lastEventId: string | undefined;
  /** What stays open. */
  readonly live: LiveParts;
  /** The API key that the request came with. */
  readonly key: string;
  /** Who calls, and what the call may reach. */
  readonly connection: Connection;
}

/** What the OpenAPI document says of a route. */
export type DescribedRoute =
  & Omit<RestRoute, "isForSessions" | "run">
  & {
    /** Whether a runner's token opens it, and nothing else. @default {false} */
    readonly isForRunners?: boolean;
  };

/** A route. */
export interface RestRoute {
  /** GET takes its arguments from the query, POST from a JSON body. */
  readonly method: "GET" | "POST";
  /** Below the prefix; `{name}` is an argument. */
  readonly path: string;
  /** Name for generated clients. */
  readonly operationId: string;
  /** What it does. */
  readonly summary: string;
  /** Whether a session's own token opens it, too. @default {false} */
  readonly isForSessions?: boolean;
  /** Its arguments, those of the path among them. */
  readonly input: InputSchema;
  /** Status of the answer. @default {200} */
  readonly status?: 201;
  /** The answer. */
  readonly output: OutputSchema;
  /** Its media type, where it is a stream of bytes. @default {JSON} */
  readonly media?: string;
  /** Answers a request whose arguments passed `input`. */
  run(call: RestCall, args: unknown): Promise<object>;
}

/** A route whose `run` gets and gives what its schemas say. */
interface TypedRoute<I extends InputSchema, O extends OutputSchema>
  extends Omit<RestRoute, "input" | "output" | "run"> {
  readonly input: I;
  readonly output: O;
  run(call: RestCall, args: ArgsOf<I>): Promise<ValueOf<O>>;
}

/** Declares a route; its schemas give `run` its types. */
export function defineRoute<
  const I extends InputSchema,
  const O extends OutputSchema,
>(route: TypedRoute<I, O>): RestRoute {
  // A route is run with arguments that passed `input`.
  return route as RestRoute;
}

/** Declares a route whose answer is a stream of bytes. */
export function defineDownload<const I extends InputSchema>(
  route:
    & Omit<TypedRoute<I, OutputSchema>, "output" | "run">
    & {
      readonly media: string;
      run(call: RestCall, args: ArgsOf<I>): Promise<ReadableStream<Uint8Array>>;
    },
): RestRoute {
  return { ...route, output: BYTES } as unknown as RestRoute;
}

/** Declares a route whose answer stays open: server-sent events. */
export function defineStream<const I extends InputSchema>(
  route:
    & Omit<TypedRoute<I, OutputSchema>, "output" | "run" | "media">
    & { run(call: RestCall, args: ArgsOf<I>): Promise<Response> },
): RestRoute {
  return {
    ...route,
    media: "text/event-stream",
    output: TEXT,
  } as unknown as RestRoute;
}

/** What OpenAPI calls bytes; no object, which only JSON has. */
const BYTES = { type: "string", format: "binary" };

/** Names of the arguments in a path, in order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => String(name));
}
