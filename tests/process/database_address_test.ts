/**
 * Addresses of every kind against a real server: sockets, TLS as libpq means
 * it, several hosts.
 */
import { equal, match, ok, rejects } from "node:assert/strict";
import type { Db } from "../../store/pg/db.ts";
import { openPool, queryOnce } from "../../store/pg/postgres.ts";
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import { freePort } from "../support/free_port.ts";
import { openHome, runVerb } from "../support/process.ts";

const NEEDS = HAS_DEBIAN_POSTGRES
  ? ""
  : " (skipped: Debian's postgresql-15 is not installed)";

/** Whether the connection speaks TLS, and over what it came. */
async function link(url: string): Promise<string> {
  const [row] = await queryOnce<{ is_tls: boolean; from: string }>(
    { kind: "url", url },
    `select ssl as is_tls,
       case when inet_client_addr() is null then 'socket' else 'tcp' end as from
     from pg_stat_ssl where pid = pg_backend_pid()`,
  );
  return `${row?.from}${row?.is_tls ? " with tls" : ""}`;
}

Deno.test({
  name: `a socket is reached by either form of address${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    const { folder, port } = postgres;
    const password = encodeURIComponent(postgres.password);
    const place = encodeURIComponent(folder);
    for (
      const url of [
        `postgresql://keeper:${password}@${place}:${port}/postgres`,
        `postgresql:///postgres?host=${folder}&port=${port}&user=keeper&password=${password}`,
      ]
    ) equal(await link(url), "socket");
    await using home = await openHome({
      DATABASE_URL: `postgresql://keeper:${password}@${place}:${port}/postgres`,
    });
    const { code, stderr } = await runVerb(["migrate"], home.env);
    equal(code, 0, stderr);
  },
});

Deno.test({
  name: `TLS is what sslmode and sslrootcert say${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres({ isSecure: true });
    const { port, rootFile } = postgres;
    const password = encodeURIComponent(postgres.password);
    const at = (host: string, query: string) =>
      `postgres://keeper:${password}@${host}:${port}/postgres?${query}`;
    const root = `sslrootcert=${encodeURIComponent(rootFile)}`;
    equal(await link(at("127.0.0.1", "")), "tcp");
    for (
      const url of [
        at("localhost", "sslmode=prefer"),
        at("localhost", "sslmode=require"),
        at("127.0.0.1", "sslmode=no-verify"),
        at("localhost", `sslmode=verify-full&${root}`),
        at("localhost", `sslmode=verify-ca&${root}`),
        // The name does not fit, and verify-ca does not ask for it.
        at("127.0.0.1", `sslmode=verify-ca&${root}`),
        at("localhost", `sslmode=require&channel_binding=require&${root}`),
      ]
    ) equal(await link(url), "tcp with tls", url.replace(password, "…"));
    for (
      const url of [
        at("localhost", "sslmode=verify-full"),
        at("localhost", "sslmode=require&channel_binding=require"),
        at("127.0.0.1", `sslmode=verify-full&${root}`),
      ]
    ) {
      await rejects(link(url), (error: Error) => {
        match(error.message, /certificate/);
        ok(!error.message.includes(password));
        return true;
      }, url.replace(password, "…"));
    }
    await rejects(
      link(at("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem")),
      /the file that sslrootcert names cannot be read/,
    );
  },
});

Deno.test({
  name:
    `TLS that the server has not is no connection, and prefer goes on without${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    equal(await link(`${postgres.url}?sslmode=prefer`), "tcp");
    await rejects(
      link(`${postgres.url}?sslmode=require`),
      /nothing was read or written/,
    );
  },
});

Deno.test({
  name:
    `of several hosts the one that answers and takes writes is used${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using first = await openDebianPostgres();
    await using second = await openDebianPostgres();
    const login = `keeper:${encodeURIComponent(first.password)}`;
    const hosts = [freePort(), first.port, second.port]
      .map((port) => `127.0.0.1:${port}`);
    const url = `postgres://${login}@${hosts.join(",")}/postgres`;
    const open = () => {
      const db = openPool({ kind: "url", url });
      return { db, [Symbol.asyncDispose]: () => db.close() };
    };
    const portOf = async (db: Db) =>
      Number((await db.read("select inet_server_port() as port"))[0]?.port);
    {
      await using before = open();
      equal(await portOf(before.db), first.port);
      // It turns into a standby, as far as one can tell from here.
      await before.db.write(
        "alter database postgres set default_transaction_read_only = on",
      );
    }
    await using after = open();
    equal(await portOf(after.db), second.port);
    await after.db.write("create table here (a int)");
    await second.stop();
    await rejects(after.db.read("select 1"), /nothing was/);
  },
});
