/**
 * The program behind PgBouncer in transaction mode: nothing may rest on what a
 * connection remembers.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import { HAS_PGBOUNCER, openPgBouncer } from "../support/pgbouncer.ts";
import {
  openHome,
  runVerb,
  startServer,
  startStdio,
} from "../support/process.ts";
import { drift, fill } from "../support/root_data.ts";
import { openPool } from "../../store/pg/postgres.ts";

const HAS_BOTH = HAS_PGBOUNCER && HAS_DEBIAN_POSTGRES;
const NEEDS = HAS_BOTH
  ? ""
  : " (skipped: Debian's pgbouncer or postgresql-15 is not installed)";

Deno.test({
  name:
    `statements and transactions of many pools share two connections of a pooler${NEEDS}`,
  ignore: !HAS_BOTH,
  async fn() {
    await using postgres = await openDebianPostgres();
    await using bouncer = await openPgBouncer(postgres.url, 2);
    const target = { kind: "url", url: bouncer.url } as const;
    for (let round = 0; round < 3; round++) {
      const pools = Array.from({ length: 4 }, () => openPool(target));
      try {
        const sums = await Promise.all(
          Array.from({ length: 200 }, async (_, n) => {
            const db = pools[n % pools.length];
            if (db === undefined) throw new Error("No pools");
            if (n % 3 === 0) return await db.read("select 1").then(() => n + 1);
            if (n % 3 === 1) {
              const [row] = await db.read("select $1::int + 1 as sum", [n]);
              return row?.sum;
            }
            return await db.transaction(async (tx) => {
              const [one] = await tx.read("select $1::int as sum", [n]);
              const [two] = await tx.write("select $1::int + 1 as sum", [
                one?.sum,
              ]);
              return two?.sum;
            });
          }),
        );
        deepEqual(sums, Array.from({ length: 200 }, (_, n) => n + 1));
      } finally {
        await Promise.all(pools.map((db) => db.close()));
      }
    }
  },
});

Deno.test({
  name:
    `every verb and tool works behind PgBouncer in transaction mode${NEEDS}`,
  ignore: !HAS_BOTH,
  async fn() {
    await using postgres = await openDebianPostgres();
    await using bouncer = await openPgBouncer(postgres.url);
    await using home = await openHome({ DATABASE_URL: bouncer.url });
    const direct = openPool({ kind: "url", url: postgres.url });
    await using _direct = { [Symbol.asyncDispose]: () => direct.close() };
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runVerb(words, home.env);
      equal(code, 0, stderr);
      return stdout;
    };
    await Promise.all(Array.from({ length: 3 }, () => run("migrate")));
    // Two servers and a client on stdio, with more connections than there are.
    await using one = await startServer(home.env);
    await using two = await startServer(home.env);
    const started = JSON.parse(
      await run("session", "start", "--root", "gardener", "--json"),
    );
    const call = async (url: string, name: string, args: unknown) => {
      const response = await fetch(`${url}?tool_groups=root_data`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${started.token}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      });
      const { result } = await response.json();
      return result.isError ? result.content[0].text : result.structuredContent;
    };
    const answers = await Promise.all(
      Array.from(
        { length: 80 },
        (_, n) =>
          call(n % 2 === 0 ? one.url : two.url, "append_root_record", {
            collection: "runs",
            data: { n },
          }),
      ),
    );
    const taken = answers.filter((one) => one.result === "appended");
    equal(taken.length, 60, JSON.stringify(answers.slice(0, 3)));
    await using stdio = startStdio(["--root", "gardener"], home.env);
    const notes = { collection: "notes", key: "k" };
    const tool = async (name: string, args: unknown) => {
      const result = await stdio.call(name, args);
      ok(result.isError !== true, JSON.stringify(result.content));
      return result.structuredContent;
    };
    const data = { title: "t" };
    equal(
      (await tool("put_root_record", { ...notes, data })).result,
      "created",
    );
    deepEqual((await tool("get_root_record", notes)).record.data, data);
    equal(
      (await tool("search_root_records", { collection: "runs" })).total,
      60,
    );
    ok((await tool("list_root_collections", {})).collections.length >= 2);
    await tool("delete_root_record", notes);
    await stdio.end();
    // Two sweeps at once: each due record goes once.
    await fill(direct, 2_000, { namespace: "gardener", collection: "old" });
    await direct.write(
      "update agent_root_records set expires_at = now() - interval '1 minute' where collection = 'old'",
    );
    const reports = await Promise.all([run("sweep"), run("sweep")]);
    const deleted = reports.map((text) => JSON.parse(text).deleted);
    equal(deleted[0] + deleted[1], 2_000);
    const path = `${home.home}/x`;
    await run("export", "--namespace", "gardener", "--output", path);
    await run("import", path, "--undeclared");
    await run("db", "backup", path);
    await run("db", "restore", path, "--replace");
    await run("doctor");
    equal(
      (await call(one.url, "search_root_records", { collection: "runs" }))
        .total,
      60,
    );
    deepEqual(await drift(direct), []);
  },
});
