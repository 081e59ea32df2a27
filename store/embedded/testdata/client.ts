/**
 * A process that uses a cluster, driven by its test.
 *
 * A process of its own, with the server's permissions, because a test may open
 * no sockets outside loopback. Reads one JSON request a line, answers each with
 * one line. At the end of input it does what a server does: closes the pool and
 * releases the cluster.
 *
 * @module
 */
import { openPool } from "../../pg/postgres.ts";
import type { Db } from "../../pg/db.ts";
import { type Cluster, openCluster } from "../cluster.ts";
import { prepareTarget } from "../endpoint.ts";
import { prepareFolders } from "../folders.ts";
import { install } from "../binaries/install.ts";
import { bringUp } from "../server.ts";
import { clusterStatus, stopCluster } from "../status.ts";

const [home = ""] = Deno.args;
const events: string[] = [];
let cluster: Cluster | undefined;
let db: Db | undefined;

async function open(): Promise<unknown> {
  const opened = await openCluster({
    home,
    report: ({ kind }) => events.push(kind),
  });
  cluster = opened;
  db = openPool(opened.target, {
    max: 2,
    statementTimeoutMs: 60_000,
    applicationName: opened.applicationName,
    recover: () => opened.ensureRunning(),
  });
  return {
    directory: opened.directory,
    socket: opened.target.kind === "socket" ? opened.target.directory : "",
  };
}

async function answer(request: string, text: string): Promise<unknown> {
  switch (request) {
    case "open":
      return await open();
    case "sql":
      return await (text.startsWith("select")
        ? db?.read(text)
        : db?.write(text));
    case "stranger": {
      // A connection that no lock announces, kept until the process ends.
      if (cluster === undefined) return undefined;
      return await openPool(cluster.target, { applicationName: "psql" })
        .read(text);
    }
    case "revive": {
      const folders = await prepareFolders(home);
      const target = await prepareTarget(folders);
      const binaries = await install(folders, target, () => {});
      return await bringUp(folders, target, binaries, JSON.parse(text));
    }
    case "ensure":
      await Promise.all(
        Array.from({ length: Number(text) }, () => cluster?.ensureRunning()),
      );
      return undefined;
    case "release":
      await db?.close();
      await cluster?.release();
      return undefined;
    case "detach":
      await db?.close();
      await cluster?.detach();
      return undefined;
    case "events":
      return events;
    case "status":
      return await clusterStatus(home);
    case "stop":
      return await stopCluster(home);
    default:
      throw new TypeError(`Unknown request "${request}"`);
  }
}

async function print(value: unknown): Promise<void> {
  const line = `${JSON.stringify(value)}\n`;
  await Deno.stdout.write(new TextEncoder().encode(line));
}

async function handle(line: string): Promise<void> {
  const { id, request, text } = JSON.parse(line);
  try {
    await print({ id, value: await answer(request, text) ?? null });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    await print({ id, error: { code, message: String(error) } });
  }
}

const decoder = new TextDecoder();
let rest = "";
const pending: Promise<void>[] = [];
for await (const chunk of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  pending.push(...lines.map(handle));
}
await Promise.all(pending);
await db?.close();
await cluster?.release();
Deno.exit(0);
