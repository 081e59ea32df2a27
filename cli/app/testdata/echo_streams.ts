/**
 * Sends back what comes in, through the streams of stdio; says on stderr how a
 * write failed. `echo_streams.ts WARM_AFTER`: chunks before they may change.
 *
 * @module
 */
import { openStdioStreams } from "../stdio_streams.ts";

const warmAfter = Number(Deno.args[0]);
let chunks = 0;
const streams = openStdioStreams(() => chunks >= warmAfter);
try {
  for await (const chunk of streams.input) {
    chunks++;
    await streams.write(chunk.slice());
  }
} catch (error) {
  const name = error instanceof Error ? error.name : "";
  Deno.stderr.writeSync(new TextEncoder().encode(`failed: ${name}\n`));
}
Deno.exit(0);
