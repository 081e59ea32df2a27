/** No request outside the roots is sent, whoever asks for it. */
import { equal, rejects } from "node:assert/strict";
import {
  draftOf,
  openFixture,
} from "../../tests/support/cortex/cortex_fixture.ts";
import type { CortexClient } from "../client/client_types.ts";
import type { Wire } from "../words.ts";
import type { ScopePath, ScopePrefix } from "../layout/scope.ts";
import { readEngineSettings } from "../settings.ts";
import type { EventId, PackId } from "../client/wire.ts";
import { confineClient } from "./confined_client.ts";

const OUTSIDE = [
  "org:7/app:learnings",
  "org:421/app:learnings",
  "org:4",
  "user:421/app:learnings",
  "app:tinymemory/app:learnings",
  "org:7/org:42/app:learnings",
  "ORG:42/app:learnings",
  "",
];

type Call = (client: CortexClient, path: ScopePath) => Promise<unknown>;

const CALLS: readonly Call[] = [
  async (client, scope) => client.append(await draftOf("x", { scope })),
  async (client, scope) =>
    client.appendAll([
      await draftOf("x", { scope: "org:42/app:learnings" as ScopePath }),
      await draftOf("y", { scope }),
    ]),
  (client, scope) => client.listEvents({ scope }),
  (client, scope) => client.recall({ scope, query: "x", maxEvents: 1 }),
  (client, scope) =>
    client.recallAcross({ scopes: [scope], query: "x", maxEvents: 1 }),
  (client, scope) =>
    client.answer({ scope, packId: "p" as PackId, question: "x" }),
  (client, scope) =>
    client.forget({ scope, eventIds: ["e" as EventId], auditNote: "x" }),
  (client, scope) => client.erase({ scope, auditNote: "x" }),
  (client, path) =>
    client.listScopes({ prefix: path as string as ScopePrefix }),
  (client, path) => client.registerScope({ path, members: [] }),
  (client, path) => client.readMembers(path),
  (client, path) => client.replaceMembers({ path, members: [] }),
];

Deno.test("a confined client sends nothing that lies outside its roots", async () => {
  for (const wire of ["direct", "hosted"] as readonly Wire[]) {
    const { client, double } = openFixture(wire);
    const { layout } = readEngineSettings({
      wire,
      scopeRoot: "org:42",
      retiredScopeRoot: "user:42",
    });
    const confined = confineClient(client, layout);
    for (const path of OUTSIDE) {
      for (const call of CALLS) {
        // As if a layout had made it.
        await rejects(
          call(confined, path as ScopePath),
          /outside this engine's root/,
        );
      }
    }
    equal(double.seen.length, 0);
    for (const path of ["org:42/app:learnings", "user:42/ws:m/app:learnings"]) {
      await confined.listEvents({ scope: path as ScopePath });
    }
  }
});
