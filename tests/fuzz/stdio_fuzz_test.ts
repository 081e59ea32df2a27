import { equal, ok } from "node:assert/strict";
import { parseConnection } from "../../mcp/caller/parse_connection.ts";
import { runStdio } from "../../mcp/protocol/stdio.ts";
import { openEndpoint } from "../support/endpoint.ts";
import { openHome, startStdio } from "../support/process.ts";
import {
  type Chance,
  chanceOf,
  LEAK_REGEXP,
  malformedBytes,
  message,
  seedOfRun,
} from "./mutate.ts";

const CONNECTIONS = 40;
const LINES_EACH = 1_000;
const PROCESS_LINES = 2_000;
/** Far below the ten seconds that unanswered requests hold up the end. */
/** What hangs does so for good; a busy machine does not take this long. */
const END_LIMIT_MS = 30_000;

const NEWLINE = 0x0a;
const encoder = new TextEncoder();

/** Malformed lines in chunks that end anywhere, then a ping. */
function* malformedChunks(
  chance: Chance,
  lines: number,
): Generator<Uint8Array> {
  for (let line = 0; line < lines; line++) {
    const bytes = new Uint8Array([
      ...malformedBytes(chance).slice(0, 20_000),
      NEWLINE,
    ]);
    if (chance.oneIn(3)) yield bytes;
    else {
      const at = chance.int(bytes.length);
      yield bytes.subarray(0, at);
      yield bytes.subarray(at);
    }
  }
  yield encoder.encode('\n{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
}

function checkLine(line: string): void {
  ok(!LEAK_REGEXP.test(line), `leak: ${line.slice(0, 500)}`);
  const answer = JSON.parse(line);
  equal(answer.jsonrpc, "2.0");
  ok(answer.id !== null, line);
}

Deno.test(`stdio: ${CONNECTIONS} connections of ${LINES_EACH} malformed lines: every answer is clean, and the last ping is answered`, async () => {
  const seed = seedOfRun();
  await using endpoint = await openEndpoint();
  for (let one = 0; one < CONNECTIONS; one++) {
    const chance = chanceOf(seed + one);
    // Without a session: a call that was cancelled would go on in the database
    // after the end of its connection.
    const connection = parseConnection(
      new URLSearchParams("tool_groups=root_data"),
    );
    const chunks = malformedChunks(chance, LINES_EACH);
    const input = ReadableStream.from(chunks);
    let written = "";
    const decoder = new TextDecoder();
    const began = performance.now();
    await runStdio(endpoint.services, connection, {
      input,
      write(bytes) {
        written += decoder.decode(bytes, { stream: true });
        return Promise.resolve();
      },
    });
    const what = `FUZZ_SEED=${seed}, connection ${one}`;
    ok(performance.now() - began < END_LIMIT_MS, `${what} ended late`);
    const answers = written.split("\n").filter((line) => line !== "");
    try {
      answers.forEach(checkLine);
    } catch (error) {
      throw new Error(what, { cause: error });
    }
    ok(answers.some((line) => JSON.parse(line).id === "last"), what);
  }
  const errors = endpoint.logged.filter((line) =>
    line.includes('"level":"error"')
  );
  equal(errors.length, 0, errors[0]);
});

Deno.test(`stdio: a real process survives ${PROCESS_LINES} malformed lines and ends cleanly`, async () => {
  const seed = seedOfRun();
  await using home = await openHome();
  await using server = startStdio(["--groups", "root_data"], home.env);
  const chance = chanceOf(seed);
  const hello = { ...message(chance), id: "first", method: "ping" };
  await server.write(`${JSON.stringify(hello)}\n`);
  for (const chunk of malformedChunks(chance, PROCESS_LINES)) {
    await server.write(chunk);
  }
  const { code, ms } = await server.end();
  equal(code, 0, `FUZZ_SEED=${seed}`);
  ok(ms < END_LIMIT_MS, `FUZZ_SEED=${seed} ended late: ${ms}`);
  server.lines.filter((line) => line !== "").forEach(checkLine);
  ok(
    server.lines.some((line) => line.includes('"id":"last"')),
    `FUZZ_SEED=${seed}`,
  );
});
