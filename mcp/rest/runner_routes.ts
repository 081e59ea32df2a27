/**
 * The runner protocol: `/api/v1/runner`, opened by a runner's token and nothing
 * else, and opening nothing else.
 *
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import type { Context } from "hono";
import {
  beatTurn,
  endReportedTurn,
  leaseForRunner,
  readArtifact,
  releaseTurn,
  takeEvents,
  type Turns,
  UNKNOWN_USE,
  waitForCommands,
} from "../../fleet/mod.ts";
import {
  findRunnerByToken,
  isRunnerToken,
  noteHello,
  type Runner,
} from "../../store/turns/mod.ts";
import { credentialOf } from "../http/auth.ts";
import { refuse, refuseError } from "../http/envelope.ts";
import type { App, Gate, RequestFacts } from "../http/gate.ts";
import { ToolError } from "../errors.ts";
import type { ArgsOf, InputSchema, OutputSchema, ValueOf } from "../schema.ts";
import { readArguments } from "./arguments.ts";
import { type DescribedRoute, pathNames, PREFIX } from "./route.ts";
import {
  ARTIFACT_INPUT,
  ARTIFACT_OUTPUT,
  BEAT_INPUT,
  BEAT_OUTPUT,
  COMMANDS_INPUT,
  COMMANDS_OUTPUT,
  END_INPUT,
  END_OUTPUT,
  EVENTS_INPUT,
  EVENTS_OUTPUT,
  HELLO_INPUT,
  HELLO_OUTPUT,
  LEASE_INPUT,
  LEASE_OUTPUT,
  RELEASE_INPUT,
} from "./runner_schemas.ts";

/** What a call of a runner knows. */
interface RunnerCall {
  readonly turns: Turns;
  readonly runner: Runner;
  /** Aborted when the runner does not wait any more. */
  readonly signal: AbortSignal;
}

interface RunnerRoute<
  I extends InputSchema = InputSchema,
  O extends OutputSchema = OutputSchema,
> extends DescribedRoute {
  readonly input: I;
  readonly output: O;
  run(call: RunnerCall, args: ArgsOf<I>): Promise<ValueOf<O>>;
}

/** The routes, in the order of a turn. */
export const RUNNER_ROUTES: readonly DescribedRoute[] = [
  define({
    method: "POST",
    path: "/runner/hello",
    operationId: "say_hello",
    summary:
      "A runner comes up, or has something new to say; answers with the durations that hold, in milliseconds",
    input: HELLO_INPUT,
    output: HELLO_OUTPUT,
    async run({ turns, runner }, args) {
      await noteHello(await turns.store.db(), runner.id, {
        hello: args,
        runtimes: args.runtimes.map(({ name }) => name),
        slots: args.slots,
        labels: args.labels,
        bootId: args.boot_id,
      });
      const { durations } = turns;
      return { runner_id: runner.id, name: runner.name, durations };
    },
  }),
  define({
    method: "POST",
    path: "/runner/lease",
    operationId: "lease_turn",
    summary:
      "Asks for a turn, and waits for one; the same request_id gets the same answer",
    input: LEASE_INPUT,
    output: LEASE_OUTPUT,
    run: ({ turns, runner, signal }, args) =>
      leaseForRunner(turns, runner, given(args), signal),
  }),
  define({
    method: "POST",
    path: "/runner/turns/{turn}/beat",
    operationId: "beat_turn",
    summary:
      "A turn is still worked on: renews its lease. As every call of a turn, refused with 409 lease_lost when the lease is another one",
    input: BEAT_INPUT,
    output: BEAT_OUTPUT,
    run: ({ turns, runner }, { turn, ...request }) =>
      beatTurn(turns, { runner, turnId: turnOf(turn) }, {
        ...request,
        // What is null counts as left out, here and below.
        process: request.process === undefined || request.process === null
          ? null
          : { start_time: null, boot_id: null, ...given(request.process) },
        conversation_id: request.conversation_id ?? null,
      }),
  }),
  define({
    method: "GET",
    path: "/runner/turns/{turn}/commands",
    operationId: "wait_for_commands",
    summary: "What is to happen to a turn; waits for it",
    input: COMMANDS_INPUT,
    output: COMMANDS_OUTPUT,
    run: ({ turns, runner, signal }, { turn, lease_no, wait_ms = 0 }) =>
      waitForCommands(turns, { runner, turnId: turnOf(turn) }, {
        leaseNo: lease_no,
        waitMs: wait_ms,
        signal,
      }),
  }),
  define({
    method: "POST",
    path: "/runner/turns/{turn}/events",
    operationId: "send_events",
    summary:
      "What happened in a turn; sending twice changes nothing, and a gap is answered with what is expected",
    input: EVENTS_INPUT,
    output: EVENTS_OUTPUT,
    run: ({ turns, runner }, { turn, events, ...request }) =>
      takeEvents(turns, { runner, turnId: turnOf(turn) }, {
        ...request,
        events,
      }),
  }),
  define({
    method: "POST",
    path: "/runner/turns/{turn}/end",
    operationId: "end_turn",
    summary:
      "A turn is over: refused with 409 while events are missing; repeating it gets the same receipt",
    input: END_INPUT,
    output: END_OUTPUT,
    run: ({ turns, runner }, { turn, ...request }) =>
      endReportedTurn(turns, { runner, turnId: turnOf(turn) }, {
        ...request,
        class: request.class ?? null,
        parked_ms: request.parked_ms ?? null,
        conversation_id: request.conversation_id ?? null,
        usage: request.usage.map((row) => ({ ...UNKNOWN_USE, ...given(row) })),
        git: request.git === undefined || request.git === null ? null : {
          before: null,
          after: null,
          branch: null,
          ...given(request.git),
        },
        limits: request.limits === undefined || request.limits === null
          ? null
          : {
            rejected_for_ms: request.limits.rejected_for_ms ?? null,
            windows: request.limits.windows.map((window) => ({
              utilization: null,
              resets_in_ms: null,
              ...given(window),
            })),
          },
      }),
  }),
  define({
    method: "POST",
    path: "/runner/turns/{turn}/release",
    operationId: "release_turn",
    summary: "Gives a turn back as lost",
    input: RELEASE_INPUT,
    output: END_OUTPUT,
    run: ({ turns, runner }, { turn, ...request }) =>
      releaseTurn(turns, { runner, turnId: turnOf(turn) }, request),
  }),
  define({
    method: "GET",
    path: "/runner/artifacts/{digest}",
    operationId: "get_artifact",
    summary: "A file that a turn was given, by the SHA-256 of its bytes",
    input: ARTIFACT_INPUT,
    output: ARTIFACT_OUTPUT,
    run: ({ turns }, { digest }) => readArtifact(turns, digest),
  }),
];

/** Mounts the routes. */
export function mountRunner(app: App, gate: Gate, turns: Turns): void {
  for (const route of RUNNER_ROUTES as readonly RunnerRoute[]) {
    app.all(
      `${PREFIX}${route.path.replaceAll(/\{([a-z_]+)\}/g, ":$1")}`,
      (c) => answer(c, { gate, turns, route }),
    );
  }
}

async function answer(
  c: Context<RequestFacts>,
  { gate, turns, route }: {
    readonly gate: Gate;
    readonly turns: Turns;
    readonly route: RunnerRoute;
  },
): Promise<Response> {
  c.header("Cache-Control", "no-store");
  try {
    const runner = await identifyRunner(c, gate);
    if (runner instanceof Response) return runner;
    if (c.req.method !== route.method) {
      c.header("Allow", route.method);
      return refuse(
        c,
        405,
        "method_not_allowed",
        `Method not allowed here; allowed: ${route.method}`,
      );
    }
    const read = await readArguments(
      route,
      c.req.raw,
      {
        path: Object.fromEntries(
          pathNames(route.path).map((name) => [name, c.req.param(name) ?? ""]),
        ),
        bodyLimitMs: gate.bodyLimitMs,
      },
    );
    if ("refusal" in read) {
      const { status, error, message } = read.refusal;
      return refuse(c, status, error, message);
    }
    const { signal } = c.req.raw;
    const value = await route.run(
      { turns, runner, signal },
      // They passed its schema.
      read.args as ArgsOf<InputSchema>,
    );
    return c.json(value);
  } catch (error) {
    if (c.req.raw.signal.aborted) return c.body(null, 499 as 400);
    return refuseError(c, error, gate.services.log);
  }
}

async function identifyRunner(
  c: Context<RequestFacts>,
  { services, brake }: Gate,
): Promise<Runner | Response> {
  const credential = credentialOf(c.req.raw.headers);
  const { address } = c.env;
  const isForm = credential !== undefined && isRunnerToken(credential);
  const runner = isForm
    ? await findRunnerByToken(await services.store.db(), credential)
    : undefined;
  if (runner !== undefined) return runner;
  if (credential !== undefined && address !== undefined) {
    const seconds = brake.waitOf(address);
    if (seconds !== undefined) {
      c.header("Retry-After", String(seconds));
      return refuse(
        c,
        429,
        "too_many_failures",
        `Too many wrong credentials came from here; wait ${seconds} s`,
      );
    }
    brake.fail(address);
  }
  c.header("WWW-Authenticate", 'Bearer realm="rootcellar"');
  return refuse(
    c,
    401,
    "unauthorized",
    "A runner's token (Authorization: Bearer rcn_…) is required here; deno task runner register makes one",
  );
}

function define<const I extends InputSchema, const O extends OutputSchema>(
  route: Omit<RunnerRoute<I, O>, "isForRunners">,
): RunnerRoute {
  // A route is run with arguments that passed `input`.
  return { ...route, isForRunners: true } as unknown as RunnerRoute;
}

function turnOf(text: string): number {
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new ToolError("Turn not found", { reason: "not_found" });
}

/** Optional arguments that were left out are not there. */
function given<T extends object>(
  args: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
