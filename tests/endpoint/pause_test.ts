import { equal, match } from "node:assert/strict";
import { openEndpoint } from "../support/endpoint.ts";
import { startSession } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { leaseTurn } from "../support/leases.ts";
import { openTurnBench } from "../support/turns.ts";

Deno.test("a pause waits for its turn to end, and says so", async () => {
  // As long as a slow machine may need; it ends when the turn does.
  await using bench = await openTurnBench({
    durations: { pauseReceipt: 60 },
    turnDurations: { interrupt_ms: 100, terminate_ms: 100 },
  });
  await using _runner = await bench.run(["sh", "-c", "cat; sleep 300"]);
  const id = await bench.start("dig");
  await bench.until(id, ({ status }) => status === "running");
  const { text, data } = await bench.endpoint.call("", "action_session", {
    action: "pause",
    session_id: String(id),
  });
  match(text, /^## Paused/);
  match(text, /turn 1 has ended/);
  equal(data.status, "needs_input");
});

Deno.test("a pause that nobody confirms in time is told as asked, not yet confirmed", async () => {
  await using endpoint = await openEndpoint({ durations: { pauseReceipt: 0 } });
  const { session: { id } } = await startSession(fleetOf(endpoint.services), {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  await leaseTurn(endpoint.test.db, id);
  const { text, data } = await endpoint.call("", "action_session", {
    action: "pause",
    session_id: String(id),
  });
  match(text, /^## Pause Asked/);
  match(text, /turn 1 is under way; asked to end, not yet confirmed/);
  equal(data.status, "running");
});
