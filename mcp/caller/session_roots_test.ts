import { deepEqual, equal } from "node:assert/strict";
import type { Row } from "../../store/pg/mod.ts";
import { rememberSessionRoots } from "./session_roots.ts";

/** Sessions by number, how often each was read, and a clock. */
function stand(sessions: Map<number, string | null>) {
  const reads: number[] = [];
  let now = 0;
  const read = <T extends Row>(_text: string, params?: readonly unknown[]) => {
    const id = Number(params?.[0]);
    reads.push(id);
    const root = sessions.get(id);
    const row = { id, agent_root_key: root };
    return Promise.resolve((root === undefined ? [] : [row]) as unknown as T[]);
  };
  const db = {
    read,
    write: read,
    transaction: () => Promise.reject(new Error("Nothing is written")),
    close: () => Promise.resolve(),
  };
  const roots = rememberSessionRoots({
    isEmbedded: false,
    db: () => Promise.resolve(db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }, () => now);
  return { roots, reads, pass: (ms: number) => now += ms };
}

Deno.test("a session's root is remembered for half a minute, and read again then", async () => {
  const sessions = new Map<number, string | null>([[1, "a"], [2, null]]);
  const { roots, reads, pass } = stand(sessions);
  deepEqual([await roots.rootOf(1), await roots.rootOf(2)], ["a", null]);
  pass(29_999);
  deepEqual([await roots.rootOf(1), await roots.rootOf(2)], ["a", null]);
  deepEqual(reads, [1, 2]);
  pass(1);
  sessions.delete(1);
  equal(await roots.rootOf(1), undefined);
  deepEqual(reads, [1, 2, 1]);
});

Deno.test("that there is no such session is not remembered", async () => {
  const sessions = new Map<number, string | null>();
  const { roots } = stand(sessions);
  equal(await roots.rootOf(1), undefined);
  sessions.set(1, "a");
  equal(await roots.rootOf(1), "a");
});

Deno.test("no more than ten thousand are remembered; the oldest goes first", async () => {
  const ids = Array.from({ length: 10_001 }, (_, at) => at + 1);
  const { roots, reads } = stand(new Map(ids.map((id) => [id, "a"])));
  for (const id of ids) await roots.rootOf(id);
  reads.length = 0;
  for (const id of [2, 3, 10_000, 10_001]) await roots.rootOf(id);
  deepEqual(reads, []);
  await roots.rootOf(1);
  deepEqual(reads, [1]);
});
