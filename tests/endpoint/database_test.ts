/**
 * What a client sees of a database that is slow, read-only or full, and what
 * the database sees of a client that leaves.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { parseConnection } from "../../mcp/caller/parse_connection.ts";
import { runStdio } from "../../mcp/protocol/stdio.ts";
import type { StoreUnavailableError } from "../../store/errors.ts";
import type { Db } from "../../store/pg/db.ts";
import { toUnavailable } from "../../store/pg/faults.ts";
import { openPool } from "../../store/pg/postgres.ts";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

const DEADLINE_MS = 120_000;
const SEARCH = { collection: "free", filter: { a: 1 } };
const KEY = { "x-api-key": API_KEY };

/** A database for which some calls fail as they would on a full disk. */
function failing(db: Db, error: StoreUnavailableError): Db {
  const fail = () => Promise.reject(error);
  return { ...db, read: db.read.bind(db), write: fail, transaction: fail };
}

function storeOf(db: Db) {
  return {
    isEmbedded: false,
    db: () => Promise.resolve(db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Keeps records from being read while `work` runs. */
async function whileLocked(
  { test }: TestEndpoint,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const db = openPool(test.target, { max: 2 });
  try {
    await db.transaction(async (tx) => {
      await tx.write("lock table agent_root_records in access exclusive mode");
      await work(async () => {
        const [row] = await db.read<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row?.count ?? 0;
      });
    });
  } finally {
    await db.close();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) ok(performance.now() < deadline, "It never held");
}

function toolCall(id: number, isModern = false) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: {
      name: "search_root_records",
      arguments: SEARCH,
      ...(isModern ? { _meta } : {}),
    },
  };
}

function post(endpoint: TestEndpoint, path: string, isModern = false) {
  return (signal: AbortSignal) =>
    endpoint.fetch(path, {
      method: "POST",
      signal,
      headers: {
        ...KEY,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(isModern
          ? {
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "search_root_records",
          }
          : {}),
      },
      body: JSON.stringify(toolCall(1, isModern)),
    });
}

const CLIENTS: Readonly<
  Record<
    string,
    (
      endpoint: TestEndpoint,
      query: string,
    ) => (signal: AbortSignal) => Promise<Response>
  >
> = {
  "of an older protocol": (endpoint, query) => post(endpoint, `/mcp${query}`),
  "of a newer protocol": (endpoint, query) =>
    post(endpoint, `/mcp${query}`, true),
  "of REST": (endpoint) => (signal) =>
    endpoint.fetch(
      '/api/v1/root_data/records?namespace=gardener&collection=free&filter={"a":1}',
      { signal, headers: KEY },
    ),
};

for (const [name, request] of Object.entries(CLIENTS)) {
  Deno.test(`a client ${name} that leaves cancels its search in the database`, async () => {
    await using endpoint = await openEndpoint();
    const send = request(endpoint, await sessionQuery(endpoint, "gardener"));
    await whileLocked(endpoint, async (waiting) => {
      const leaving = new AbortController();
      const answer = send(leaving.signal);
      await until(async () => await waiting() === 1);
      leaving.abort();
      await until(async () => await waiting() === 0);
      const text = await (await answer).text();
      match(text, /cancelled/);
    });
    equal(endpoint.logged.filter((line) => /"error"/.test(line)).length, 0);
  });
}

/** What a connection has said before: without the SDK go calls of known ones. */
const OPENINGS: Readonly<Record<string, readonly unknown[]>> = {
  "that has said nothing": [],
  "that has shaken hands": [{
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "0" },
    },
  }],
};

for (const [name, opening] of Object.entries(OPENINGS)) {
  Deno.test(`notifications/cancelled on a stdio ${name} cancels the search in the database`, async () => {
    await using endpoint = await openEndpoint();
    const query = await sessionQuery(endpoint, "gardener");
    const line = (message: unknown) =>
      new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    const output: string[] = [];
    await whileLocked(endpoint, async (waiting) => {
      await runStdio(
        endpoint.services,
        parseConnection(new URLSearchParams(query)),
        {
          input: (async function* () {
            for (const message of opening) yield line(message);
            await until(() =>
              Promise.resolve(output.length === opening.length)
            );
            yield line(toolCall(7));
            await until(async () => await waiting() === 1);
            yield line({
              jsonrpc: "2.0",
              method: "notifications/cancelled",
              params: { requestId: 7, reason: "enough" },
            });
            await until(async () => await waiting() === 0);
          })(),
          write(bytes) {
            output.push(new TextDecoder().decode(bytes));
            return Promise.resolve();
          },
        },
      );
    });
    equal(output.length, opening.length);
  });
}

Deno.test("a database that takes no writes is reported by the deep probe and by health", async () => {
  await using endpoint = await openEndpoint();
  const { test } = endpoint;
  const [row] = await test.db.read("select current_database() as name");
  await test.db.write(
    `alter database ${row?.name} set default_transaction_read_only = on`,
  );
  const db = openPool(test.target);
  await using _ = { [Symbol.asyncDispose]: () => db.close() };
  await using broken = await openEndpoint({ test, store: storeOf(db) });
  const deep = await broken.fetch("/up/deep", {}, "127.0.0.1");
  equal(deep.status, 503);
  const { failed, checks } = await deep.json();
  ok(failed.includes("database"));
  match(checks.database.detail, /takes no writes/);
  const health = await broken.fetch("/api/v1/health", { headers: KEY });
  const report = await health.json();
  equal(report.status, "warning");
  match(report.root_data_health.reasons[0], /takes no writes/);
});

Deno.test("a full disk reads the same from root data and from memory, and a read of either goes on", async () => {
  await using healthy = await openEndpoint();
  const { test } = healthy;
  const full = toUnavailable({ code: "53100", severity: "ERROR" });
  const query = await sessionQuery(healthy, "gardener", "root_data,memory");
  await using endpoint = await openEndpoint({
    test,
    store: storeOf(failing(test.db, full)),
  });
  const put = await endpoint.call(query, "append_root_record", {
    collection: "free",
    data: {},
  });
  const stored = await endpoint.call(query, "store_memory", {
    kind: "learning",
    text: "Roses want sun",
  });
  for (const { isError, text } of [put, stored]) {
    ok(isError);
    match(text, /no space left.*nothing was changed.*Tell the operator/);
    ok(!/may or may not|Try again|all the same/.test(text), text);
  }
  const listed = await endpoint.call(query, "list_memories", {});
  ok(!listed.isError, listed.text);
});

Deno.test("a write whose answer cannot be made does not read as if nothing had happened", async () => {
  await using healthy = await openEndpoint();
  const { test } = healthy;
  const query = await sessionQuery(healthy, "gardener");
  const db: Db = {
    ...test.db,
    read: test.db.read.bind(test.db),
    transaction: test.db.transaction.bind(test.db),
    async write(text, params) {
      const rows = await test.db.write(text, params);
      // As times come back that nobody can read.
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Date ? new Date(NaN) : value,
          ]),
        )
      ) as never;
    },
  };
  await using endpoint = await openEndpoint({ test, store: storeOf(db) });
  const args = { collection: "free", data: { marker: "once" } };
  const answer = await endpoint.call(query, "append_root_record", args);
  ok(answer.isError);
  match(answer.text, /^Internal error .*may have taken effect.*read before/);
  const page = await healthy.call(query, "search_root_records", {
    collection: "free",
  });
  deepEqual(page.data.total, 1);
});
