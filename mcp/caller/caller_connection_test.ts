import { deepEqual, equal, match } from "node:assert/strict";
import type { Session } from "../../store/sessions/mod.ts";
import { SESSION_FIXTURE } from "../../tests/support/session_fixture.ts";
import { connectionOf } from "./caller_connection.ts";
import { DEFAULT_SESSION_GROUPS } from "../tools/groups.ts";

const SESSION: Session = {
  ...SESSION_FIXTURE,
  toolGroups: ["root_data"],
};

function withToken(query: string, session: Partial<Session> = {}) {
  return connectionOf(
    { kind: "session", session: { ...SESSION, ...session } },
    new URLSearchParams(query),
  );
}

Deno.test("a token's connection names its own session, or none", () => {
  const own = [
    "",
    "session_id=",
    "session_id=%20",
    "session_id=7",
    "session_id=%207%20",
    "session_id=007",
  ];
  for (const query of own) {
    const connection = withToken(query);
    if (typeof connection === "string") throw new Error(query);
    const { sessionId, isProven } = connection;
    deepEqual([sessionId, isProven], [7, true], query);
  }
  const foreign = ["8", "abc", "-7", "0", "7.0", "7,8", "%00", "9".repeat(30)];
  for (const id of foreign) {
    const refusal = withToken(`session_id=${id}`);
    match(String(refusal), /proves session 7, .* drop session_id/, id);
    equal(typeof refusal, "string");
  }
});

Deno.test("a token's groups are its session's; the URL can only choose among them", () => {
  const groupsOf = (query: string, toolGroups: string[] | null) => {
    const connection = withToken(query, { toolGroups });
    if (typeof connection === "string") throw new Error(connection);
    return [connection.groups, connection.confinedTo];
  };
  const own = ["root_data"];
  deepEqual(groupsOf("", own), [own, own]);
  for (const blank of ["tool_groups=", "tool_groups=%20,,"]) {
    deepEqual(groupsOf(blank, own), [own, own]);
  }
  deepEqual(groupsOf("tool_groups=memory", own), [["memory"], own]);
  deepEqual(groupsOf("tool_groups=nope", own), [[], own]);
  deepEqual(groupsOf("", null), [
    DEFAULT_SESSION_GROUPS,
    DEFAULT_SESSION_GROUPS,
  ]);
});

Deno.test("a key's connection is what the URL asks for, and proves nothing", () => {
  const query = new URLSearchParams("session_id=8&tool_groups=root_data");
  const connection = connectionOf({ kind: "key", digest: "d" }, query);
  if (typeof connection === "string") throw new Error(connection);
  const { sessionId, isProven, confinedTo } = connection;
  deepEqual([sessionId, isProven, confinedTo], [8, false, undefined]);
});
