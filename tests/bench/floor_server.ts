/**
 * The least that a database behind a pipe costs: one statement of the driver a
 * line, nothing checked; without a statement, the pipe alone.
 * `floor_server.ts TARGET`.
 *
 * @module
 */
import type { DatabaseTarget } from "../../store/pg/db.ts";
import { bareOn } from "./stage.ts";

/** What it is asked. */
export interface FloorRequest {
  readonly text?: string;
  readonly params?: readonly unknown[];
}

const target: DatabaseTarget = JSON.parse(Deno.args[0] ?? "");
const sql = bareOn(target, 1);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const buffer = new Uint8Array(64 * 1024);
let rest = "";
for (;;) {
  const read = await Deno.stdin.read(buffer);
  if (read === null) break;
  rest += decoder.decode(buffer.subarray(0, read), { stream: true });
  for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
    const { text, params = [] }: FloorRequest = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    const rows = text === undefined
      ? []
      : await sql.unsafe(text, params as never[], { prepare: true });
    Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(rows)}\n`));
  }
}
await sql.end();
