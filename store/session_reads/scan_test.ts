import { deepEqual, equal, ok } from "node:assert/strict";
import { addSession, addTranscript } from "../../tests/support/session_rows.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { type ScanRequest, type ScanResult, scanSessions } from "./scan.ts";

const REQUEST = {
  text: "needle",
  inContents: true,
  limit: 25,
  budgetMs: 60_000,
} satisfies ScanRequest;

function idsOf({ sessions }: ScanResult): number[] {
  return sessions.map(({ id }) => id);
}

/** All scans of one search, each going on where the one before stopped. */
async function scanAll(
  db: Db,
  request: ScanRequest,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ScanResult[]> {
  const results: ScanResult[] = [];
  let cursor: string | undefined;
  do {
    const result = await scanSessions(db, {}, { ...request, cursor });
    results.push(result);
    cursor = result.cursor;
    await between();
  } while (cursor !== undefined);
  return results;
}

Deno.test("a scan finds what was said, newest session first, and says that it is complete", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const said = await addSession(db);
  await addTranscript(db, said, ["hay", "a NEEDLE in it"]);
  await addTranscript(db, await addSession(db), ["hay 100% _"]);
  const titled = await addSession(db, { title: "The Needle" });
  const result = await scanSessions(db, {}, REQUEST);
  deepEqual(idsOf(result), [titled, said]);
  deepEqual(
    [result.stopped, result.cursor, result.scanned, result.candidates],
    [undefined, undefined, 3, 3],
  );
  const titles = await scanSessions(db, {}, { ...REQUEST, inContents: false });
  deepEqual(idsOf(titles), [titled]);
  const literal = await scanSessions(db, {}, { ...REQUEST, text: "0% _" });
  equal(literal.sessions.length, 1);
  const other = await scanSessions(db, {}, { ...REQUEST, text: "0%  _" });
  equal(other.sessions.length, 0);
});

Deno.test("without time a scan reads nothing, says so, and its cursor begins at the beginning", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const id = await addSession(db, { title: "needle" });
  const none = await scanSessions(db, {}, { ...REQUEST, budgetMs: 0 });
  deepEqual(
    [none.stopped, none.scanned, none.candidates, none.sessions],
    ["time_is_up", 0, 1, []],
  );
  const all = await scanSessions(db, {}, { ...REQUEST, cursor: none.cursor });
  deepEqual(idsOf(all), [id]);
  equal(all.cursorWasIgnored, false);
});

Deno.test("scans that go on find each hit once, whatever is added meanwhile, also within one time", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const hits: number[] = [];
  for (let n = 0; n < 12; n++) {
    const id = await addSession(db, {
      // Several of one instant: the number decides.
      created_at: new Date(1_700_000_000_000 + Math.floor(n / 4)),
      title: n % 2 === 0 ? "needle" : "hay",
    });
    if (n % 2 === 0) hits.push(id);
    if (n % 4 === 1) {
      hits.push(id);
      await addTranscript(db, id, ["needle"]);
    }
  }
  const results = await scanAll(
    db,
    { ...REQUEST, limit: 2 },
    () => addSession(db, { title: "needle, but newer" }),
  );
  deepEqual(results.flatMap(idsOf), hits.toReversed());
  ok(results.slice(0, -1).every(({ stopped }) => stopped === "page_full"));
});

Deno.test("a transcript that is longer than the time is read in parts, and ends", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const id = await addSession(db);
  await addTranscript(db, id, [...Array(1_400).fill("hay"), "needle", "hay"]);
  await addSession(db, { title: "other" });
  // So short that each call looks at one part at most.
  const results = await scanAll(db, { ...REQUEST, budgetMs: 0.001 });
  deepEqual(results.flatMap(idsOf), [id]);
  ok(results.length >= 3, `${results.length} calls`);
  ok(results.slice(0, -1).every(({ stopped }) => stopped === "time_is_up"));
  ok(results.every(({ cursorWasIgnored }) => !cursorWasIgnored));
});

Deno.test("a cursor that no scan gave is left aside, and the answer says so", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const id = await addSession(db, { title: "needle" });
  for (
    const cursor of [
      "nonsense",
      "",
      "%%%",
      new TextEncoder().encode("2026-02-30T00:00:00.000000Z/1  ").toBase64(),
      new TextEncoder().encode("2026-01-01T00:00:00.000000Z/0  ").toBase64(),
      "a".repeat(5_000),
    ]
  ) {
    const result = await scanSessions(db, {}, { ...REQUEST, cursor });
    deepEqual([idsOf(result), result.cursorWasIgnored], [[id], true], cursor);
  }
});
