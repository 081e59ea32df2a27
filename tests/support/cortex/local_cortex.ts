/**
 * The local CortexDB on a database of its own, called without a port.
 *
 * @module
 */
import { createLocalCortex } from "../../../cortex/local/service.ts";
import {
  type EventLogOptions,
  PostgresEventLog,
} from "../../../store/event_log/mod.ts";
import { openTestDb, type TestDb } from "../test_db.ts";

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
  readonly body: any;
}

/** A service that is dropped with its database. */
export interface TestCortex extends AsyncDisposable {
  readonly test: TestDb;
  /** Sends a request; `body` as it is when it is a text or bytes. */
  call(
    method: string,
    path: string,
    body?: unknown,
    actor?: string,
  ): Promise<Answer>;
  /** Stores a text in a scope; its id. */
  write(scope: string, text: string, more?: unknown): Promise<string>;
  /** Texts of a scope's listing. */
  texts(scope: string, query?: string): Promise<readonly string[]>;
}

/** Builds a service over a migrated, empty database. */
export async function openLocalCortex(
  options: EventLogOptions & { readonly apiKeys?: readonly string[] } = {},
): Promise<TestCortex> {
  const test = await openTestDb();
  return cortexOn(test, options);
}

/** Builds another service over the same database, as a new process would. */
export function cortexOn(
  test: TestDb,
  options: EventLogOptions & { readonly apiKeys?: readonly string[] } = {},
): TestCortex {
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(test.db), options),
    apiKeys: options.apiKeys ?? [],
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const self: TestCortex = {
    test,
    async call(method, path, body, actor = "user:alice") {
      const init: RequestInit = {
        method,
        headers: { "x-cortex-actor": actor },
      };
      if (body !== undefined) {
        init.body = typeof body === "string" || body instanceof Uint8Array
          ? body as BodyInit
          : JSON.stringify(body);
      }
      const response = await fetch(
        new Request(`http://localhost/v1/${path}`, init),
      );
      return { status: response.status, body: await response.json() };
    },
    async write(scope, text, more = {}) {
      const { status, body } = await self.call("POST", "experience", {
        scope,
        modality: "conversation",
        content: { kind: "message", role: "user", text },
        ...more as Record<string, unknown>,
      });
      if (status !== 202) throw new Error(JSON.stringify(body));
      return body.event_id;
    },
    async texts(scope, query = "") {
      const { body } = await self.call(
        "GET",
        `events?scope=${encodeURIComponent(scope)}${query}`,
      );
      return body.items.map((
        one: { readonly content: { readonly text: string } },
      ) => one.content.text);
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
  return self;
}
