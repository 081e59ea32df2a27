import { deepEqual, equal } from "node:assert/strict";
import {
  cortexOn,
  openLocalCortex,
  type TestCortex,
} from "../../../tests/support/cortex/local_cortex.ts";

const SCOPE = "org:a/ws:main";

function forget(cortex: TestCortex, more: Record<string, unknown>) {
  return cortex.call("POST", "forget", {
    scope: SCOPE,
    cascade: "redact_events",
    ...more,
  });
}

Deno.test("both interlocks hold, and a misspelt selector forgets nothing", async () => {
  await using cortex = await openLocalCortex();
  const id = await cortex.write(SCOPE, "kept");
  const ids = { memory_ids: [id] };
  const refusals: readonly [Record<string, unknown>, number, string][] = [
    [
      { selector: ids, confirm_all: true },
      400,
      "AMBIGUOUS_SELECTOR_CONFIRM_ALL",
    ],
    [{ selector: { memory_id: [id] }, confirm_all: true }, 422, "INVALID_BODY"],
    [{}, 422, "EMPTY_SELECTOR_WITHOUT_CONFIRMATION"],
    [{ selector: {} }, 422, "EMPTY_SELECTOR_WITHOUT_CONFIRMATION"],
    [
      { selector: { memory_ids: [] } },
      422,
      "EMPTY_SELECTOR_WITHOUT_CONFIRMATION",
    ],
    [{ selector: ids, cascade: null }, 400, "INVALID_CASCADE"],
    [{ selector: ids, cascade: "all" }, 400, "INVALID_CASCADE"],
    [{ selector: { about_subject: "user:x" } }, 422, "NOT_CONFIGURED"],
  ];
  for (const [body, status, code] of refusals) {
    const answer = await forget(cortex, body);
    deepEqual([answer.status, answer.body.error_code], [status, code]);
  }
  const derived = await forget(cortex, {
    selector: ids,
    cascade: "derived_only",
  });
  deepEqual(derived.body, { deleted: { events: 0 }, requested: 1, matched: 1 });
  deepEqual(await cortex.texts(SCOPE), ["kept"]);
});

Deno.test("forget by ids deletes those of its scope, counts, and releases keys", async () => {
  await using cortex = await openLocalCortex();
  const key = { idempotency_key: "k" };
  const mine = await cortex.write(SCOPE, "mine", key);
  const foreign = await cortex.write("org:a/ws:main2", "foreign");
  const { body: answer } = await forget(cortex, {
    selector: { memory_ids: [mine, mine, foreign, "evt_1"] },
    audit_note: "asked",
  });
  deepEqual(answer, { deleted: { events: 1 }, requested: 3, matched: 1 });
  deepEqual(await cortex.texts(SCOPE), []);
  deepEqual(await cortex.texts("org:a/ws:main2"), ["foreign"]);
  const anew = await cortex.write(SCOPE, "mine", key);
  equal(anew === mine, false);
  const [left] = await cortex.test.db.read(
    "select scope, action, actor, note, events_count::int as count from cortex_deletions",
  );
  deepEqual(left, {
    scope: SCOPE,
    action: "forget",
    actor: "user:alice",
    note: "asked",
    count: 1,
  });
});

Deno.test("forget all takes the scope in batches and nothing below it", async () => {
  await using cortex = await openLocalCortex({ batchEvents: 10 });
  await cortex.call("POST", "experience/bulk", {
    scope: SCOPE,
    items: Array.from({ length: 25 }, (_, at) => ({
      modality: "conversation",
      content: { text: `t${at}` },
    })),
  });
  await cortex.write(`${SCOPE}/agent:x`, "below");
  const { body: answer } = await forget(cortex, { confirm_all: true });
  deepEqual(answer, { deleted: { events: 25 }, requested: 25, matched: 25 });
  deepEqual(await cortex.texts(SCOPE, "&view=descend"), ["below"]);
});

Deno.test("an erasure takes the subtree, spares siblings, and keeps the counts", async () => {
  await using cortex = await openLocalCortex();
  const gone = [SCOPE, `${SCOPE}/agent:x`, `${SCOPE}/agent:x/app:learnings`];
  const spared = ["org:a", "org:a/ws:main2", "org:a/ws:main-x", "org:a/ws:m"];
  for (const scope of [...gone, ...spared]) {
    await cortex.write(scope, scope, { idempotency_key: scope.slice(-60) });
  }
  const unsure = await cortex.call("POST", "erasures", { scope: SCOPE });
  equal(unsure.status, 422);
  const { status, body: erasure } = await cortex.call("POST", "erasures", {
    scope: SCOPE,
    confirm_all: true,
    audit_note: "gone",
  });
  equal(status, 202);
  equal(erasure.status, "completed");
  deepEqual(erasure.deleted, { events: 3 });
  deepEqual(
    (await cortex.call("GET", `erasures/${erasure.erasure_id}`)).body,
    erasure,
  );
  deepEqual(
    (await cortex.texts("org:a", "&view=descend")).toSorted(),
    spared.toSorted(),
  );
  await cortex.write(SCOPE, SCOPE, { idempotency_key: SCOPE });
  deepEqual(await cortex.texts(SCOPE), [SCOPE]);
});

Deno.test("an erasure that a process left unfinished is finished by the next one's call", async () => {
  // A clock that is always past the slice: each call does one batch.
  let now = 0;
  await using first = await openLocalCortex({
    batchEvents: 10,
    sliceMs: 1,
    now: () => now++,
  });
  await first.call("POST", "experience/bulk", {
    scope: SCOPE,
    items: Array.from({ length: 25 }, () => ({
      modality: "conversation",
      content: { text: "t" },
    })),
  });
  const { body: started } = await first.call("POST", "erasures", {
    scope: SCOPE,
    confirm_all: true,
  });
  deepEqual([started.status, started.deleted.events], ["running", 10]);
  await first.write(SCOPE, "written later");
  // The process ends here; another one comes up.
  const second = cortexOn(first.test);
  equal((await second.call("GET", "auth/whoami")).status, 200);
  deepEqual(await second.texts(SCOPE), ["written later"]);
  const { body: done } = await second.call(
    "GET",
    `erasures/${started.erasure_id}`,
  );
  deepEqual([done.status, done.deleted.events], ["completed", 25]);
});
