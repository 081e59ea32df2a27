import { equal } from "node:assert/strict";
import { reachableHost } from "./hosts.ts";

Deno.test("who listens on all addresses is reached on loopback, all others where they listen", () => {
  const table: Readonly<Record<string, string>> = {
    "0.0.0.0": "127.0.0.1",
    "0": "127.0.0.1",
    "0x0": "127.0.0.1",
    "::": "::1",
    "[::]": "::1",
    "0:0:0:0:0:0:0:0": "::1",
    "::ffff:0.0.0.0": "127.0.0.1",
    "127.0.0.1": "127.0.0.1",
    "10.0.0.0": "10.0.0.0",
    "::1": "::1",
    "host.example": "host.example",
  };
  for (const [host, reached] of Object.entries(table)) {
    equal(reachableHost(host), reached, host);
  }
});
