import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openEndpoint, sessionQuery } from "../support/endpoint.ts";

/** What a page is sent as. */
function bytesOf(data: unknown): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

async function openTools() {
  const endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener", "memory");
  return {
    async call(name: string, args: object) {
      const answer = await endpoint.call(query, name, args);
      ok(!answer.isError, answer.text);
      return answer.data;
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

Deno.test("pages of a list and a recall fit their budget and go on without loss or repeat", async () => {
  await using tools = await openTools();
  const stored: string[] = [];
  for (let at = 0; at < 8; at++) {
    const text = `Quince ${at} ${"日本 ".repeat(1_000)}`;
    const { id } = await tools.call("store_memory", { kind: "learning", text });
    stored.push(id);
  }
  const listed: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await tools.call("list_memories", {
      max_bytes: 3_500,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ok(bytesOf(page) <= 3_500, String(bytesOf(page)));
    ok(page.returned > 0 && page.returned < 8);
    listed.push(...page.items.map((one: { id: string }) => one.id));
    if (!page.has_more) break;
    cursor = page.next_cursor;
  }
  deepEqual(listed, stored.toReversed());
  const recalled: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page: { items: { id: string }[]; next_offset: number | null } =
      await tools.call("recall_memory", {
        query: "quince",
        max_bytes: 10_000,
        offset,
      });
    ok(bytesOf(page) <= 10_000, String(bytesOf(page)));
    recalled.push(...page.items.map(({ id }) => id));
    offset = page.next_offset;
  }
  deepEqual(recalled.toSorted(), stored.toSorted());
  const one = await tools.call("recall_memory", {
    query: "quince",
    max_bytes: 1_000,
  });
  deepEqual([one.returned, one.has_more, one.next_offset], [1, true, 1]);
});

Deno.test("history keeps the latest turns that fit, and says that there are more", async () => {
  await using tools = await openTools();
  const turns = Array.from(
    { length: 20 },
    (_, at) => ({ role: "user", text: `Turn ${at} ${"x".repeat(1_200)}` }),
  );
  await tools.call("store_memory", { kind: "conversation", turns });
  const page = await tools.call("get_conversation_history", {
    max_bytes: 5_000,
  });
  ok(bytesOf(page) <= 5_000);
  ok(page.has_more && page.returned >= 2 && page.returned < 20);
  ok(page.turns.at(-1).text.startsWith("Turn 19 "));
  match(page.turns[0].text, /… \[1000 of 120[78] characters\]$/);
});

Deno.test("a single text that does not fit comes in parts that do", async () => {
  await using tools = await openTools();
  const text = Array.from({ length: 4_000 }, (_, at) => `🍏"${at}`).join("");
  const { id } = await tools.call("store_memory", { kind: "document", text });
  let whole = "";
  for (let offset: number | null = 0; offset !== null;) {
    const page: {
      items: [{ text: string; text_part: { next_text_offset: number | null } }];
    } = await tools.call("get_memory", {
      ids: [id],
      text_offset: offset,
      max_bytes: 9_000,
    });
    ok(bytesOf(page) <= 9_000, String(bytesOf(page)));
    whole += page.items[0].text;
    offset = page.items[0].text_part.next_text_offset;
  }
  equal(whole, text);
});
