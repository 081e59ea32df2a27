/**
 * `migrate` and `db`: the database by hand.
 *
 * @module
 */
import {
  clusterStatus,
  openCluster,
  stopCluster,
} from "../../../store/embedded/mod.ts";
import { migrate } from "../../../store/pg/mod.ts";
import { backup, restore } from "./backup.ts";
import { ConfigError, settingsOf } from "../../settings/config.ts";
import { callerPath } from "../../settings/environment.ts";
import { print, printError, table } from "../../output.ts";
import { buildStore, type StoreConfig } from "../../app/parts.ts";
import { defineVerb } from "../../verb.ts";

/** Brings the schema up to date. */
export const migrateVerb = defineVerb({
  summary: "Brings the database's schema up to date, then exits.",
  flags: {},
  settings: settingsOf("database", "log"),
  async run(_call, config) {
    await using store = buildStore(config);
    // Opening the store migrates; running it again tells what is in force.
    const report = await migrate(await store.db());
    print(`The schema is up to date: ${report.current.join(", ")}`);
    return 0;
  },
});

/** Looks after the embedded PostgreSQL. */
export const database = defineVerb({
  summary:
    "Backs up and restores the database; shows, starts or stops the embedded PostgreSQL, or opens psql.",
  words: "status|start|stop|psql|backup FILE|restore FILE",
  maxWords: 2,
  flags: {
    replace: {
      type: "boolean",
      meaning: "restore: drop what the database holds first",
    },
  },
  settings: settingsOf("database", "log"),
  async run(call, config) {
    const [action, path] = call.words;
    if (action === "backup" || action === "restore") {
      if (path === undefined) {
        throw new ConfigError([`db ${action} needs a file`]);
      }
      const file = callerPath(path);
      return action === "backup"
        ? await backup(config, file)
        : await restore(config, file, call.flags.replace === true);
    }
    if (path !== undefined) {
      throw new ConfigError([
        `Unexpected word "${path}"; see deno task db --help`,
      ]);
    }
    if (action === "psql") return await psql(config);
    if (config.databaseUrl !== undefined && action !== "status") {
      throw new ConfigError([
        `DATABASE_URL is set, so there is no embedded PostgreSQL to ${
          action ?? "look after"
        }`,
      ]);
    }
    switch (action) {
      case "status":
        return await status(config);
      case "start": {
        const cluster = await openCluster({ home: config.home });
        await cluster.detach();
        print(`PostgreSQL runs; its socket is in ${socketOf(cluster.target)}`);
        return 0;
      }
      case "stop": {
        await stopCluster(config.home);
        print("PostgreSQL is stopped");
        return 0;
      }
      default:
        throw new ConfigError([
          `db needs one of status, start, stop, psql, backup, restore: it got ${
            action === undefined ? "none" : `"${action}"`
          }`,
        ]);
    }
  },
});

async function status(config: StoreConfig): Promise<number> {
  if (config.databaseUrl !== undefined) {
    await using store = buildStore(config);
    const db = await store.db();
    const [row] = await db.read("select version() as version");
    print(`External database, reachable: ${row?.version}`);
    return 0;
  }
  const found = await clusterStatus(config.home);
  print(table(
    Object.entries(found).map(([name, value]) => [name, String(value)]),
  ));
  return 0;
}

async function psql(config: StoreConfig): Promise<number> {
  if (config.databaseUrl !== undefined) {
    return await runPsql([config.databaseUrl]);
  }
  await using cluster = await openCluster({ home: config.home });
  const { target } = cluster;
  if (target.kind !== "socket") {
    printError("psql is offered on unix sockets only; set DATABASE_URL");
    return 1;
  }
  return await runPsql([
    "-h",
    target.directory,
    "-p",
    String(target.port),
    "-U",
    target.user,
    target.database,
  ]);
}

async function runPsql(args: readonly string[]): Promise<number> {
  try {
    const child = new Deno.Command("psql", { args: [...args] }).spawn();
    return (await child.status).code;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    printError(
      "psql is not installed here (Debian: postgresql-client); the embedded PostgreSQL brings only the server",
    );
    return 1;
  }
}

function socketOf(target: { readonly kind: string }): string {
  return "directory" in target ? String(target.directory) : "loopback";
}
