import { equal } from "node:assert/strict";
import { openHome, startServer } from "../support/process.ts";

Deno.test("serve hands the client's address on: 20 wrong keys brake the next, and a right one passes", async () => {
  await using home = await openHome({ API_KEYS: "right" });
  await using server = await startServer(home.env);
  const status = async (key: string) => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    await response.body?.cancel();
    return response.status;
  };
  equal(await status("right"), 200);
  for (let n = 0; n < 20; n++) equal(await status(`wrong ${n}`), 401);
  equal(await status("wrong"), 429);
  equal(await status("right"), 200);
  equal(await server.stop(), 0);
});
