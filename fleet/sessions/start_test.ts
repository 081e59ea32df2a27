import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { StoreRefusalError } from "../../store/mod.ts";
import {
  findSession,
  findSessionByToken,
  listSessions,
} from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { FleetRefusalError } from "../errors.ts";
import type { SessionRequest } from "./request.ts";
import { startSession } from "./start.ts";

const GARDENER = { agentRoot: "gardener" };

Deno.test("a session starts waiting, driven by its client, with a token that proves it", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const parent = await startSession(fleet, GARDENER);
  deepEqual(
    [parent.session.status, parent.session.drivenBy],
    ["waiting", "client"],
  );
  equal(parent.session.title, `Session ${parent.session.id}`);
  const { session, token } = await startSession(fleet, {
    ...GARDENER,
    title: " Spring 🌱 ",
    slug: "spring-2026",
    parentSessionId: parent.session.id,
    toolGroups: ["root_data"],
    customMetadata: { pr: 7 },
  });
  deepEqual(await findSession(test.db, session.id), session);
  equal((await findSessionByToken(test.db, String(token)))?.id, session.id);
  equal(session.title, "Spring 🌱");
  equal(session.slug, "spring-2026");
  equal(session.parentSessionId, parent.session.id);
  deepEqual(session.toolGroups, ["root_data"]);
  deepEqual(session.customMetadata, { pr: 7 });
  const silent = await startSession(fleet, { ...GARDENER, withToken: false });
  equal(silent.token, undefined);
  equal(silent.session.hasToken, false);
});

Deno.test("whoever may start sessions of some roots has the tools for it, and no other roots", async () => {
  await using opened = await openTestFleet({
    gardener: { default_subagent_roots: ["librarian"] },
    librarian: {},
  });
  const reachOf = async (request: SessionRequest) => {
    const { session } = await startSession(opened.fleet, request);
    return [session.toolGroups, session.allowedAgentRoots];
  };
  const run = { drivenBy: "runner", withToken: false } as const;
  const [groups, fence] = await reachOf({ ...GARDENER, ...run });
  deepEqual(fence, ["librarian"]);
  ok(groups?.includes("sessions") && groups.includes("root_data"));
  deepEqual(await reachOf({ agentRoot: "librarian", ...run }), [null, null]);
  // A client's connection is what its own entry says.
  deepEqual(await reachOf(GARDENER), [null, null]);
});

Deno.test("a session belongs to the root that its name stands for", async () => {
  await using opened = await openTestFleet(
    { old: {}, gardener: {}, "zimmer-router": {} },
    { old: "gardener", older: "old" },
  );
  const rootOf = async (agentRoot: string) =>
    (await startSession(opened.fleet, { agentRoot })).session.agentRootKey;
  equal(await rootOf("gardener"), "gardener");
  equal(await rootOf("old"), "gardener");
  equal(await rootOf("older"), "gardener");
  equal(await rootOf("zimmer-router"), "zimmer-router");
});

Deno.test.each([
  ["an unknown root", { agentRoot: "ghost" }, "unknown_root", /"ghost" is not/],
  ["a blank root", { agentRoot: "" }, "unknown_root", /: gardener, librarian$/],
  [
    "an unknown group",
    { toolGroups: ["root_dat"] },
    "unknown_group",
    /^tool_groups has no group "root_dat"; groups: root_data, memory$/,
  ],
  ["no group", { toolGroups: [] }, "unknown_group", /names no group/],
  ["a slug of digits", { slug: "123" }, "bad_argument", /A slug has/],
  ["a slug with a space", { slug: "a b" }, "bad_argument", /A slug has/],
  ["a blank title", { title: " " }, "bad_argument", /title has 1 to 100/],
  ["a long title", { title: "x".repeat(101) }, "bad_argument", /this has 101/],
  ["a title with NUL", { title: "a\u0000" }, "unstorable_data", /the title/],
  [
    "a parent that is not there",
    { parentSessionId: 404 },
    "not_found",
    /Session 404, named as the parent/,
  ],
  [
    "large metadata",
    { customMetadata: { a: "x".repeat(32 * 1024) } },
    "data_too_large",
    /has 32776 bytes, and the limit is 32768/,
  ],
  [
    "metadata with NUL",
    { customMetadata: { a: "\u0000" } },
    "unstorable_data",
    /custom_metadata: at \/a it holds/,
  ],
])(
  "a session with %s is refused and leaves nothing",
  async (_what, input, code, text) => {
    await using opened = await openTestFleet();
    const { fleet, test } = opened;
    await rejects(
      startSession(fleet, { ...GARDENER, ...(input as object) }),
      (error: unknown) => {
        ok(
          error instanceof FleetRefusalError ||
            error instanceof StoreRefusalError,
        );
        equal(error.code, code);
        match(error.message, text as RegExp);
        return true;
      },
    );
    deepEqual(await listSessions(test.db), []);
  },
);

Deno.test("a long catalog is cut in the refusal, which says how much", async () => {
  const roots = Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [`root-${n}`, {}]),
  );
  await using opened = await openTestFleet(roots);
  await rejects(
    startSession(opened.fleet, { agentRoot: "x".repeat(200) }),
    (error: unknown) => {
      ok(error instanceof FleetRefusalError);
      match(error.message, /root-0, .*, and 5 more$/);
      ok(error.message.length < 500);
      return true;
    },
  );
});

Deno.test("a slug belongs to one session, also of two that start at once", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const tries = await Promise.allSettled(
    Array.from(
      { length: 4 },
      () => startSession(fleet, { ...GARDENER, slug: "mine" }),
    ),
  );
  const refused = tries.filter((one) => one.status === "rejected");
  equal(refused.length, 3);
  for (const { reason } of refused) {
    equal(reason.code, "bad_argument");
    match(reason.message, /"mine" belongs to another session/);
  }
  equal((await listSessions(test.db)).length, 1);
});
