/**
 * Resident memory of a stdio process after 1,000 calls of all kinds, beside
 * the official memory server's after as many.
 *
 * @module
 */
import { clientPath, HAS_NPM } from "../support/clients.ts";
import { mainFolder } from "../support/process.ts";
import type { Benchmark, Figure } from "./benchmark.ts";
import { type McpClient, openMcp, openStdio } from "./pipe_client.ts";
import { packagedMain } from "./program.ts";
import { fill, openWindows } from "./stage.ts";

const ROOT = "rss";

/** The benchmark. */
export const memoryUse: Benchmark = {
  name: "rss",
  summary: "resident memory of a stdio process after 1,000 calls",
  async run(bench) {
    const calls = bench.pick(1_000, 20);
    const stage = await bench.stage();
    await fill(stage.db, ROOT, "c0", 1_000);
    const figures: Figure[] = [];
    const add = async (
      label: string,
      client: McpClient,
      bar?: { readonly atMost: number },
    ) => {
      figures.push({
        label,
        value: await residentMiB(await client.pid()),
        unit: "MiB",
        ...(bar === undefined ? {} : { bar }),
      });
    };
    // The first start of new code compiles it, and takes twice the memory.
    await (await openStdio(ROOT, stage.env))[Symbol.asyncDispose]();
    const forms = [
      ["ours", await packagedMain(), { atMost: 110 }],
      ["ours, from the repository", mainFolder("main.ts"), undefined],
    ] as const;
    for (const [label, main, bar] of forms) {
      await using ours = await openStdio(ROOT, stage.env, { main });
      ours.request("tools/list");
      await add(`${label}, after tools/list`, ours);
      for (let call = 0; call < calls; call++) {
        if (call % 100 === 0) await openWindows(stage.db);
        callOurs(ours, call);
      }
      await add(`${label}, after ${calls} calls`, ours, bar);
    }
    if (HAS_NPM) {
      const folder = await Deno.makeTempDir({ prefix: "rc-bench-" });
      const memory = await clientPath(
        "@modelcontextprotocol/server-memory/dist/index.js",
      );
      await using theirs = await openMcp("node", [memory], {
        ...stage.env,
        MEMORY_FILE_PATH: `${folder}/memory.jsonl`,
      });
      theirs.request("tools/list");
      await add("server-memory, after tools/list", theirs);
      for (let call = 0; call < calls; call++) callTheirs(theirs, call);
      await add(`server-memory, after ${calls} calls`, theirs);
      await Deno.remove(folder, { recursive: true });
    }
    return [{ title: "resident memory", rows: [], figures }];
  },
};

/** One of puts, gets, searches and lists. */
function callOurs(client: McpClient, index: number): void {
  const key = `k${index}`;
  switch (index % 4) {
    case 0:
      client.call("put_root_record", {
        collection: "c0",
        key,
        data: { title: key, body: "x".repeat(200) },
      });
      return;
    case 1:
      client.call("get_root_record", { collection: "c0", key });
      return;
    case 2:
      client.call("search_root_records", {
        collection: "c0",
        filter: { batch: index % 100 },
      });
      return;
    default:
      client.call("list_root_collections", {});
  }
}

/** One of writes, reads and searches. */
function callTheirs(client: McpClient, index: number): void {
  const name = `k${index}`;
  switch (index % 4) {
    case 0:
      client.call("create_entities", {
        entities: [{
          name,
          entityType: "note",
          observations: ["x".repeat(200)],
        }],
      });
      return;
    case 1:
      client.call("open_nodes", { names: [`k${index - 1}`] });
      return;
    default:
      client.call("search_nodes", { query: `k${index}` });
  }
}

/** What the kernel says of a process. */
async function residentMiB(pid: number): Promise<number> {
  // Not read by Deno itself, which keeps /proc to those with all permissions.
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${pid}/status`],
  }).output();
  const text = new TextDecoder().decode(stdout);
  return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) / 1024;
}
