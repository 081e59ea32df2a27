import { equal, match } from "node:assert/strict";
import { openEndpoint } from "../support/endpoint.ts";

const ROOTS = {
  plain: { name: "plain" },
  named: { name: "named", default_runtime: "codex" },
};

Deno.test("a session whose root names no agent has the default one; a root's own and the caller's win", async () => {
  await using endpoint = await openEndpoint({
    roots: ROOTS,
    defaultRuntime: "command",
  });
  const runtimeOf = async (args: Record<string, unknown>) => {
    const { data } = await endpoint.call("", "start_session", {
      prompt: "x",
      ...args,
    });
    const [row] = await endpoint.test.db.read<{ agent_runtime: string }>(
      "select agent_runtime from sessions where id = $1",
      [data.session_id ?? data.id],
    );
    return row?.agent_runtime;
  };
  equal(await runtimeOf({ agent_root: "plain" }), "command");
  equal(await runtimeOf({ agent_root: "named" }), "codex");
  equal(
    await runtimeOf({ agent_root: "plain", agent_runtime: "gemini" }),
    "gemini",
  );
});

Deno.test("who starts a session that no runner takes is told what runners offer", async () => {
  await using endpoint = await openEndpoint({ roots: ROOTS });
  const start = async () =>
    (await endpoint.call("", "start_session", {
      agent_root: "plain",
      prompt: "x",
    })).text;
  match(await start(), /No runner was seen in the last minute/);
  const { db } = endpoint.test;
  const add = (runtimes: readonly string[]) =>
    db.write(
      `insert into runners (name, token_hash, runtimes, seen_at)
       values ('box', sha256(random()::text::bytea), $1::text[], now())`,
      [runtimes],
    );
  await add([]);
  match(
    await start(),
    /No runner offers the runtime claude_code.*Offered now: none/,
  );
  await add(["command", "gemini"]);
  await add(["command"]);
  match(await start(), /Offered now: command, gemini/);
});
