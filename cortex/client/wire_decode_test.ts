import { deepEqual, equal, match, throws } from "node:assert/strict";
import { AnswerPart } from "./answer_part.ts";
import { CortexProtocolError } from "../errors.ts";
import { Layout } from "../layout/layouts.ts";
import { ROOT_NODE } from "../words.ts";
import { parseRootPath } from "../layout/scope.ts";
import { eventKey, toExperience } from "./wire.ts";
import {
  decodeAnswer,
  decodeErasure,
  decodeEvent,
  decodeForgotten,
  decodeHealth,
  decodeMembers,
  decodePack,
  decodePage,
  decodeReceipt,
  decodeReceipts,
  decodeScopes,
} from "./wire_decode.ts";

const part = (value: unknown) => new AnswerPart("test", value);

Deno.test("decodeEvent() reads both shapes and ignores the rest", () => {
  const measured = {
    id: "evt_1",
    scope: "org:a/app:learnings",
    modality: "hologram",
    content: { kind: "message", role: "user", text: "t", extra: [1] },
    context: {
      labels: ["a", "b"],
      observed_at: "2026-09-01T00:00:00Z",
      recorded_at: "2026-09-02T00:00:00Z",
      intent: 5,
    },
    wal_offset: "12",
  };
  const documented = {
    event_id: "evt_1",
    scope: "org:a/app:learnings",
    content: measured.content,
    labels: ["a", "b"],
    observed_at: "2026-09-01T00:00:00Z",
    recorded_at: "2026-09-02T00:00:00Z",
  };
  const event = {
    id: "evt_1",
    scope: "org:a/app:learnings",
    role: "user",
    text: "t",
    labels: ["a", "b"],
    observedAt: "2026-09-01T00:00:00Z",
    recordedAt: "2026-09-02T00:00:00Z",
  };
  deepEqual(decodeEvent(part(measured)), event);
  deepEqual(decodeEvent(part(documented)), event);
});

Deno.test("decodeEvent() reads foreign content without a text", () => {
  const event = decodeEvent(
    part({ id: "e", content: { kind: "json", data: 1 } }),
  );
  equal(event.text, undefined);
  equal(event.role, "unknown");
  equal(decodeEvent(part({ id: "e" })).text, undefined);
  const content = { role: "narrator", text: "" };
  const odd = decodeEvent(part({ id: "e", content }));
  equal(odd.role, "unknown");
  equal(odd.text, "");
});

Deno.test("decodePage() has a next page only with both signs of it", () => {
  const next = (answer: object) =>
    decodePage(part({ items: [], ...answer }), "c1").nextCursor;
  equal(next({}), undefined);
  equal(next({ has_more: true }), undefined);
  equal(next({ has_more: true, next_cursor: "" }), undefined);
  equal(next({ has_more: false, next_cursor: "c2" }), undefined);
  equal(next({ has_more: false, next_cursor: "c1" }), undefined);
  equal(next({ has_more: true, next_cursor: "c2" }), "c2");
});

Deno.test("decodeErasure() knows done, running and neither", () => {
  const status = (answer: object) => decodeErasure(part(answer)).status;
  equal(status({ erasure_id: "er_1" }), "completed");
  equal(status({ erasure_id: "er_1", status: "completed" }), "completed");
  for (const word of ["running", "pending", "queued", "accepted"]) {
    equal(status({ erasure_id: "er_1", status: word }), "running");
  }
  equal(status({ erasure_id: "er_1", status: "failed" }), "unknown");
  equal(status({ erased: true, scopes: 0 }), "completed");
  equal(status({ erased: false }), "unknown");
  const both = decodeErasure(part({ erasure_ids: ["a", "b"], erased: true }));
  deepEqual(both.ids, ["a", "b"]);
});

Deno.test("decodeScopes() reads both shapes and says when it may be cut", () => {
  const listed = {
    paths: ["org:a", "org:b"],
    isCut: false,
    nextCursor: undefined,
  };
  deepEqual(
    decodeScopes(part({ items: [{ path: "org:a" }, "org:b"] }), 3),
    listed,
  );
  deepEqual(
    decodeScopes(part({ scopes: ["org:a", { path: "org:b" }] }), 3),
    listed,
  );
  equal(decodeScopes(part({ scopes: ["org:a", "org:b"] }), 2).isCut, true);
  equal(decodeScopes(part({ items: [], has_more: true }), 2).isCut, true);
  const paths = { scopes: ["org:a", "org:b"] };
  const page = { ...paths, has_more: true, next_cursor: "org:b" };
  equal(decodeScopes(part(page), 2).nextCursor, "org:b");
  const last = { ...paths, has_more: false, next_cursor: null };
  deepEqual(decodeScopes(part(last), 2), listed);
  // Says that there is no more, but not how it would say that there is.
  const other = { ...paths, has_more: false };
  equal(decodeScopes(part(other), 2).isCut, true);
});

Deno.test("decoders of smaller answers read what they name", () => {
  deepEqual(decodeForgotten(part({ matched: 2, deleted: { events: 1 } })), {
    matched: 2,
  });
  equal(decodeForgotten(part({ deleted: { events: 1 } })).matched, 1);
  equal(decodeForgotten(part({})).matched, undefined);
  equal(decodeHealth(part({ status: "on fire" })).status, "unknown");
  deepEqual(decodeMembers(part({ path: "org:a" })), []);
  deepEqual(decodeMembers(part({ members: [{ actor: "u", role: "boss" }] })), [
    { actor: "u", role: "boss" },
  ]);
  deepEqual(decodeReceipt(part({ event_id: "e" })), {
    eventId: "e",
    isReplay: false,
  });
  deepEqual(decodePack(part({ pack_id: "p", warnings: ["w", {}] })), {
    packId: "p",
    events: [],
    warnings: ["w"],
  });
  const citations = [{ id: "e", layer: "events" }, { layer: "dreams" }];
  deepEqual(decodeAnswer(part({ answer: "yes", citations })), {
    text: "yes",
    model: undefined,
    citations: [
      { id: "e", layer: "events" },
      { id: undefined, layer: "unknown" },
    ],
  });
});

Deno.test("decoders say where an answer stops making sense", () => {
  const table: [() => unknown, string][] = [
    [() => decodePage(part(undefined), undefined), "$.items"],
    [() => decodePage(part([]), undefined), "$"],
    [() => decodePage(part("items"), undefined), "$"],
    [() => decodePage(part({ items: {} }), undefined), "$.items"],
    [() => decodePage(part({ items: [1] }), undefined), "$.items[0]"],
    [() => decodePage(part({ items: [{}] }), undefined), "$.items[0].id"],
    [
      () => decodePage(part({ items: [{ id: 7 }] }), undefined),
      "$.items[0].id",
    ],
    [
      () => decodePage(part({ items: [], has_more: "yes" }), undefined),
      "$.has_more",
    ],
    [
      () =>
        decodePage(part({ items: [], has_more: true, next_cursor: "c" }), "c"),
      "$.next_cursor",
    ],
    [
      () =>
        decodePage(part({ items: [], has_more: true, next_cursor: 3 }), "c"),
      "$.next_cursor",
    ],
    [
      () => decodeEvent(part({ id: "e", content: { text: 1 } })),
      "$.content.text",
    ],
    [() => decodeEvent(part({ id: "e", labels: [1] })), "$.labels[0]"],
    [() => decodeReceipt(part({ event_id: "" })), "$.event_id"],
    [() => decodeReceipts(part({}), 1), "$.results"],
    [() => decodeReceipts(part({ results: [] }), 1), "$.results"],
    [
      () => decodeReceipts(part({ results: [{ index: 0, error: "x" }] }), 1),
      "$.results[0].event_id",
    ],
    [
      () => decodeReceipts(part({ results: [{ index: 1, event_id: "e" }] }), 1),
      "$.results[0].index",
    ],
    [() => decodePack(part({ layers: {} })), "$.pack_id"],
    [() => decodePack(part({ pack_id: "p", layers: [] })), "$.layers"],
    [() => decodeAnswer(part({})), "$.answer"],
    [() => decodeForgotten(part({ matched: -1 })), "$.matched"],
    [() => decodeScopes(part({}), 9), "$.items"],
    [() => decodeScopes(part({ items: [{}] }), 9), "$.items[0].path"],
    [
      () => decodeMembers(part({ members: [{ actor: "u" }] })),
      "$.members[0].role",
    ],
  ];
  for (const [decode, path] of table) {
    throws(decode, (error) => {
      equal(error instanceof CortexProtocolError && error.path, path);
      return true;
    });
  }
});

Deno.test("an answer's own __proto__ is no field", () => {
  const answer = JSON.parse('{"__proto__": {"event_id": "e"}}');
  throws(() => decodeReceipt(part(answer)), CortexProtocolError);
  throws(() => part({}).field("constructor").text(), CortexProtocolError);
});

Deno.test("eventKey() is the same for the same words alone", () => {
  const key = eventKey("org:a/ws:main", "id", 0, 2);
  match(key, /^rc2:[0-9a-f]{56}$/);
  equal(eventKey("org:a/ws:main", "id", 0, 2), key);
  const others = [["org:a", "id", 0, 2], ["org:a/ws:main", "id", 1, 2]];
  for (const words of others) equal(eventKey(...words) === key, false);
});

Deno.test("toExperience() says what nothing may be derived from", () => {
  const layout = new Layout({
    wire: "direct",
    root: parseRootPath("org:a"),
    retired: undefined,
  });
  const draft = {
    scope: layout.render(ROOT_NODE, "learning"),
    modality: "observation",
    role: "user",
    text: "t",
    labels: ["a"],
  } as const;
  deepEqual(toExperience({ ...draft, derive: false }).directives, {
    extract: [],
  });
});
