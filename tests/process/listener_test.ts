/**
 * A server that has few descriptors, and clients that hold more connections
 * than that: the listener must live through it.
 */
import { equal, match, ok } from "node:assert/strict";
import { openHome, startServer } from "../support/process.ts";

const DESCRIPTORS = 160;
const SILENT = 400;
const IS_LINUX = Deno.build.os === "linux";
const note = IS_LINUX ? "" : " (skipped: not on Linux)";

async function isUp(url: string): Promise<number> {
  const response = await fetch(new URL("/up", url), {
    signal: AbortSignal.timeout(30_000),
  });
  await response.body?.cancel();
  return response.status;
}

/** Read by another program: Deno itself gives out nothing of /proc. */
async function limitsOf(pid: number): Promise<string> {
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${pid}/limits`],
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test({
  name:
    `400 silent connections to a server of 160 descriptors keep nobody else out${note}`,
  ignore: !IS_LINUX,
  async fn() {
    await using home = await openHome();
    await using server = await startServer(home.env, [], {
      descriptors: DESCRIPTORS,
    });
    match(
      await limitsOf(server.pid),
      new RegExp(`^Max open files +${DESCRIPTORS} `, "m"),
    );
    equal(await isUp(server.url), 200);

    const { hostname, port } = new URL(server.url);
    const silent: Deno.Conn[] = [];
    try {
      for (let at = 0; at < SILENT; at++) {
        silent.push(await Deno.connect({ hostname, port: Number(port) }));
      }
      for (let times = 0; times < 3; times++) {
        equal(await isUp(server.url), 200);
      }
    } finally {
      for (const connection of silent) connection.close();
    }
    equal(await isUp(server.url), 200);
    equal(await server.stop(), 0);
    const log = await server.log;
    ok(/"event":"(accept_failed|connections_full)"/.test(log), log);
    ok(!log.includes("listener_ended"), log);
  },
});
