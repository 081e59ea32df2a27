/**
 * Write and search at 1,000, 5,000 and 10,000 records, against the official
 * memory server over the same pipes and with the same data.
 *
 * Ours keeps records in PostgreSQL and has written them to disk when it
 * answers; the memory server rewrites a file with each write and reads it with
 * each search. Its search looks for a text, ours for a value; both find one.
 *
 * @module
 */
import { clientPath, HAS_NPM } from "../support/clients.ts";
import { alternate } from "./alternate.ts";
import type { Bench, Benchmark, Part } from "./benchmark.ts";
import { openMcp, openStdio } from "./pipe_client.ts";
import { openWindows, type Stage } from "./stage.ts";

const OURS = "ours";
const THEIRS = "server-memory";
const ROOT = "peer";
const COLLECTION = "c0";
/** The design's aim at the largest size. */
const BAR = { atLeast: 20 } as const;

/** The benchmark. */
export const peer: Benchmark = {
  name: "peer",
  summary: "write and search at up to 10,000 records, against server-memory",
  missing: HAS_NPM ? undefined : "npm and Node are not installed",
  async run(bench) {
    const stage = await bench.stage();
    const parts: Part[] = [];
    const sizes = bench.pick([1_000, 5_000, 10_000], [100]);
    for (const size of sizes) {
      bench.note(`${size} records`);
      parts.push(...await atSize(bench, stage, size, size === sizes.at(-1)));
    }
    return parts;
  },
};

async function atSize(
  bench: Bench,
  stage: Stage,
  size: number,
  isLast: boolean,
): Promise<Part[]> {
  const rounds = {
    rounds: bench.pick(10, 1),
    calls: bench.pick(20, 3),
    warmUp: bench.pick(5, 1),
  };
  // What is written on top stays below the cap of a collection.
  const filled = size - (rounds.rounds + rounds.warmUp) * rounds.calls;
  await replaceAll(stage, filled);
  const folder = await Deno.makeTempDir({ prefix: "rc-bench-" });
  try {
    const path = `${folder}/memory.jsonl`;
    await Deno.writeTextFile(path, linesOf(filled));
    await using ours = await openStdio(ROOT, stage.env);
    const memory = await clientPath(
      "@modelcontextprotocol/server-memory/dist/index.js",
    );
    await using theirs = await openMcp("node", [memory], {
      ...stage.env,
      MEMORY_FILE_PATH: path,
    });
    const search = await alternate([
      {
        label: OURS,
        once(index) {
          const { name } = entity(index % filled);
          found(
            ours.call("search_root_records", {
              collection: COLLECTION,
              filter: { name },
            }),
            name,
          );
        },
      },
      {
        label: THEIRS,
        once(index) {
          const { name } = entity(index % filled);
          found(theirs.call("search_nodes", { query: name }), name);
        },
      },
    ], rounds);
    const write = await alternate([
      {
        label: OURS,
        prepare: () => openWindows(stage.db),
        once: (index) =>
          ours.call("put_root_record", {
            collection: COLLECTION,
            key: entity(filled + index).name,
            data: dataOf(filled + index),
          }),
      },
      {
        label: THEIRS,
        once: (index) =>
          theirs.call("create_entities", {
            entities: [entity(filled + index)],
          }),
      },
    ], rounds);
    return [["search, one hit", search], ["write", write]].map((
      [what, contest],
    ) => {
      const { rows, ratio } = contest as typeof search;
      return {
        title: `${what} at ${size} records`,
        rows,
        figures: [{
          label: "server-memory over ours",
          value: ratio(THEIRS, OURS),
          unit: "×",
          ...(isLast ? { bar: BAR } : {}),
        }],
      };
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

/** About 300 bytes, as an agent's notes are. */
function entity(index: number): Entity {
  const number = String(index).padStart(6, "0");
  return {
    name: `project-${number}`,
    entityType: "project",
    observations: [1, 2, 3].map((part) =>
      `Observation ${part} of project number ${number}: it was looked at and all was well`
    ),
  };
}

/** The same as a record. */
function dataOf(index: number): unknown {
  const { name, entityType, observations } = entity(index);
  return { title: name, name, entityType, observations };
}

function linesOf(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => JSON.stringify({ type: "entity", ...entity(index) }),
  ).join("\n");
}

/** Makes the collection hold the first so many. */
async function replaceAll(stage: Stage, count: number): Promise<void> {
  const rows = Array.from(
    { length: count },
    (_, index) => ({ key: entity(index).name, data: dataOf(index) }),
  );
  await stage.db.write("delete from agent_root_records where namespace = $1", [
    ROOT,
  ]);
  await stage.db.write(
    `insert into agent_root_records
       (namespace, collection, key, data, data_bytes, created_at, updated_at)
     select $1, $2, row->>'key', row->'data', octet_length(row->>'data'), now(), now()
     from jsonb_array_elements($3::text::jsonb) row`,
    [ROOT, COLLECTION, JSON.stringify(rows)],
  );
  await stage.db.write(
    `insert into agent_root_record_counters
       (namespace, collection, records_count, data_bytes)
     select $1, $2, count(*), coalesce(sum(data_bytes), 0) from agent_root_records
       where namespace = $1 and collection = $2
     on conflict (namespace, collection) do update set
       records_count = excluded.records_count, data_bytes = excluded.data_bytes`,
    [ROOT, COLLECTION],
  );
  await stage.db.write("vacuum analyze agent_root_records");
}

/** One hit, and the right one. */
function found(line: string, name: string): void {
  const { structuredContent } = JSON.parse(line).result;
  const hits = structuredContent.entities ?? structuredContent.records;
  const [hit] = hits;
  if (hits.length === 1 && (hit.name ?? hit.data.name) === name) return;
  throw new Error(`${hits.length} hits for ${name}: ${line.slice(0, 300)}`);
}
