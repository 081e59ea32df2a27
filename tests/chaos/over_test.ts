import { equal, match } from "node:assert/strict";
import { followUp, startSession, UNRESTRICTED } from "../../fleet/mod.ts";
import { openTestFleet } from "../support/fleet.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { whyOver } from "./over.ts";

Deno.test("a chaos whose sessions have all failed is over, with the reasons; one that can go on is not", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const begin = async () => {
    const { session } = await startSession(fleet, {
      agentRoot: "gardener",
      drivenBy: "runner",
      prompt: "begin",
    });
    return session.id;
  };
  const fail = async (id: number, reason: string) => {
    await leaseTurn(db, id);
    await endTurn(db, id, { kind: "failed", reason });
  };
  const first = await begin();
  const second = await begin();
  await followUp(fleet, UNRESTRICTED, first, { content: "and then" });
  await fail(first, "runtime_unavailable: there is no command");
  equal(await whyOver(db), undefined, "the other one is queued");
  await leaseTurn(db, second);
  equal(await whyOver(db), undefined, "the other one works");
  await endTurn(db, second, { kind: "failed", reason: "agent_error: code 1" });
  match(
    await whyOver(db) ?? "",
    /^1 of the sessions is failed \(agent_error: code 1\), 1 of the sessions is failed \(runtime_unavailable: there is no command\)$/,
  );
});
