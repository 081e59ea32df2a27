/**
 * `PG…` variables of the environment, which the driver reads where nothing is
 * said: none reaches a socket or loopback target, and none but login and
 * database an address.
 */
import { deepEqual, equal } from "node:assert/strict";

/** All that the driver reads, each with a value that would be noticed. */
const VARIABLES: Readonly<Record<string, string>> = {
  PGHOST: "elsewhere.example.com",
  PGPORT: "1",
  PGUSERNAME: "stranger",
  PGUSER: "stranger",
  PGDATABASE: "strange",
  PGPASSWORD: "strange",
  PGSSL: "require",
  PGSSLNEGOTIATION: "direct",
  PGIDLE_TIMEOUT: "1",
  PGCONNECT_TIMEOUT: "1",
  PGMAX_LIFETIME: "1",
  PGMAX_PIPELINE: "1",
  PGBACKOFF: "1",
  PGKEEP_ALIVE: "1",
  PGPREPARE: "0",
  PGDEBUG: "1",
  PGFETCH_TYPES: "1",
  PGPUBLICATIONS: "strange",
  PGMAX: "1",
  PGAPPNAME: "strange",
  PGTARGETSESSIONATTRS: "any",
  PGOPTIONS: "-c datestyle=German",
};

const TARGETS = {
  socket: {
    kind: "socket",
    directory: "/run/x",
    port: 5432,
    user: "u",
    database: "d",
  },
  loopback: {
    kind: "loopback",
    port: 5432,
    user: "u",
    password: "p",
    database: "d",
  },
  address: { kind: "url", url: "postgres://u:p@127.0.0.1:5432/d" },
  sparse: { kind: "url", url: "postgres://127.0.0.1:5432" },
};

/** The driver's options for each target, under some variables. */
async function optionsUnder(
  env: Readonly<Record<string, string>>,
): Promise<Record<string, Record<string, unknown>>> {
  const script = `
    import { openRoute } from "./store/pg/driver.ts";
    const all = Object.entries(${
    JSON.stringify(TARGETS)
  }).map(([name, target]) => {
      const { options } = openRoute(target)
        .open(0, { max: 5, applicationName: "rootcellar" });
      const { max_lifetime, shared, parsers, serializers, ...rest } = options;
      return [name, { ...rest, lives: max_lifetime > 60 }];
    });
    console.log(JSON.stringify(Object.fromEntries(all)));`;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", script],
    cwd: new URL("../..", import.meta.url).pathname,
    env,
    stdout: "piped",
    stderr: "piped",
  }).output();
  equal(code, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("no variable of the environment reaches a target that says where it is", async () => {
  const [without, under] = await Promise.all([
    optionsUnder({}),
    optionsUnder(VARIABLES),
  ]);
  const { sparse: _, ...rest } = under;
  const { sparse: __, ...expected } = without;
  deepEqual(rest, expected);
  equal(rest.socket?.target_session_attrs, null);
  equal(rest.socket?.pass, "");
  equal(rest.socket?.ssl, false);
});

Deno.test("an address without login or database takes them from PGUSER, PGPASSWORD and PGDATABASE", async () => {
  const { PGUSER = "", PGPASSWORD = "", PGDATABASE = "" } = VARIABLES;
  const { sparse } = await optionsUnder({ PGUSER, PGPASSWORD, PGDATABASE });
  deepEqual([sparse?.user, sparse?.pass, sparse?.database], [
    PGUSER,
    PGPASSWORD,
    PGDATABASE,
  ]);
});
