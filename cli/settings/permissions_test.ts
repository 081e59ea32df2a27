import { deepEqual, match } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SETTINGS } from "./config.ts";
import { FOREIGN_NAMES } from "./environment.ts";

const CONFIG = new URL("../../deno.json", import.meta.url);

/** What the client of the protocol hands on to a process that it starts. */
const CLIENT_NAMES = [
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/** What the driver looks for where an address leaves something open. */
const DRIVER_NAMES = [
  "PGAPPNAME",
  "PGDATABASE",
  "PGDEBUG",
  "PGHOST",
  "PGIDLE_TIMEOUT",
  "PGKEEP_ALIVE",
  "PGMAX_LIFETIME",
  "PGMAX_PIPELINE",
  "PGPASSWORD",
  "PGPORT",
  "PGPREPARE",
  "PGPUBLICATIONS",
  "PGSSL",
  "PGSSLNEGOTIATION",
  "PGTARGETSESSIONATTRS",
  "PGTARGET_SESSION_ATTRS",
  "PGUSER",
  "PGUSERNAME",
];

/** What a module prints that runs with the permissions of servers. */
async function runAsServer(
  source: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/main.ts`, source);
    const config = `--config=${fileURLToPath(CONFIG)}`;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", config, "-P=server", "main.ts"],
      cwd: folder,
      env: { ...env },
    }).output();
    const decoder = new TextDecoder();
    return decoder.decode(stdout) + decoder.decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("servers may read the variables that they use, and see no others", async () => {
  const { permissions } = JSON.parse(await Deno.readTextFile(CONFIG));
  const settings = SETTINGS.flatMap(({ name, file }) =>
    file === undefined ? [name] : [name, file.name]
  );
  deepEqual(permissions.server.env, {
    allow: [...settings, ...FOREIGN_NAMES, ...CLIENT_NAMES, ...DRIVER_NAMES],
    ignore: true,
  });
  const seen = await runAsServer(
    "console.log(Deno.env.get('CLOUD_SECRET'), Deno.env.get('CATALOG'));",
    { CLOUD_SECRET: "s", CATALOG: "c" },
  );
  deepEqual(seen, "undefined c\n");
});

Deno.test("servers may not import from another machine, not even from where Deno would let them", async () => {
  const help = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--help"],
    env: { NO_COLOR: "1" },
  }).output();
  const standard = /Allow importing[^]*?Default value: (\S+)/
    .exec(new TextDecoder().decode(help.stdout))?.[1]?.split(",") ?? [];
  deepEqual(standard.includes("esm.sh:443"), true);
  for (const host of [...standard, "example.org:443"]) {
    match(
      await runAsServer(
        `await import(["https:", "", "${host}", "x.ts"].join("/"));`,
      ),
      /Requires import access/,
      host,
    );
  }
});
