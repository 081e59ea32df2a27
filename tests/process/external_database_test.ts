import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import { openHome, runVerb, startStdio } from "../support/process.ts";
import { TARGET_VARIABLE } from "../support/test_db.ts";

const NEEDS = HAS_DEBIAN_POSTGRES
  ? ""
  : " (skipped: Debian's postgresql-15 is not installed)";

Deno.test({
  name:
    `DATABASE_URL replaces the embedded PostgreSQL, and two servers share it${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    await using home = await openHome({ DATABASE_URL: postgres.url });
    const migrated = await Promise.all(
      Array.from({ length: 4 }, () => runVerb(["migrate"], home.env)),
    );
    deepEqual(migrated.map((one) => one.code), [0, 0, 0, 0]);
    await using one = startStdio(["--root", "gardener"], home.env);
    await using two = startStdio(["--root", "gardener"], home.env);
    await one.call("put_root_record", {
      collection: "runs",
      key: "k",
      data: { n: 1 },
    });
    const read = await two.call("get_root_record", {
      collection: "runs",
      key: "k",
    });
    deepEqual(read.structuredContent.record.data, { n: 1 });
    for (const server of [one, two]) {
      const { code, ms } = await server.end();
      equal(code, 0);
      ok(ms < 5_000);
    }
    deepEqual(await Array.fromAsync(Deno.readDir(home.home)), []);
  },
});

Deno.test({
  name:
    `a database that goes away and comes back is survived, and says so meanwhile${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    await using home = await openHome({ DATABASE_URL: postgres.url });
    await using server = startStdio(["--root", "gardener"], home.env);
    const put = (key: string) =>
      server.call("put_root_record", { collection: "runs", key, data: {} });
    equal((await put("before")).structuredContent.result, "created");
    await postgres.stop();
    const meanwhile = await put("meanwhile");
    ok(meanwhile.isError);
    match(
      meanwhile.content[0].text,
      /database cannot be reached; nothing was read or written|may or may not have taken effect/,
    );
    ok(!meanwhile.content[0].text.includes("127.0.0.1"));
    await postgres.start();
    equal((await put("after")).structuredContent.result, "created");
    const page = await server.call("search_root_records", {
      collection: "runs",
    });
    ok(page.structuredContent.total >= 2);
    await server.end();
  },
});

Deno.test({
  name: `a wrong password is one line that does not repeat it${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    const url = postgres.url.replace(/:[^:@/]+@/, ":hunter2@");
    await using home = await openHome({ DATABASE_URL: url });
    const { code, stderr } = await runVerb(["migrate"], home.env);
    equal(code, 1);
    const lines = stderr.trim().split("\n").filter((line) =>
      !line.startsWith("{")
    );
    equal(lines.length, 1, stderr);
    match(lines[0] ?? "", /refused the connection.*28P01/);
    ok(!stderr.includes("hunter2"));
  },
});

Deno.test({
  name: `the store's tests hold on PostgreSQL 15, too${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    const files = [
      "root_data/records",
      "root_data/concurrency",
      "root_data/retention",
      "root_data/health",
      "sessions/sessions",
      "pg/migrate",
      "pg/postgres",
    ];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "-q",
        "--no-prompt",
        "--frozen",
        "-P=test",
        "--no-check",
        ...files.map((name) => `store/${name}_test.ts`),
      ],
      cwd: new URL("../..", import.meta.url).pathname,
      env: {
        [TARGET_VARIABLE]: JSON.stringify({ kind: "url", url: postgres.url }),
      },
    }).output();
    const decoder = new TextDecoder();
    equal(code, 0, decoder.decode(stdout) + decoder.decode(stderr));
  },
});
