/** The rate window's own small functions, in the database. */
import { equal } from "node:assert/strict";
import { openTestDb, type TestDb } from "../../tests/support/test_db.ts";

const START = "2026-01-01T12:00:00Z";

/** Calls a function of the window at a time after its start. */
async function at(
  { db }: TestDb,
  name: string,
  { seconds, start = START }: { seconds: number; start?: string | null },
): Promise<unknown> {
  const [row] = await db.read(
    `select ${name}(
       jsonb_populate_record(null::agent_root_record_counters, $1::text::jsonb),
       $2::text::timestamptz + make_interval(secs => $3::text::float8), 60) as value`,
    [
      JSON.stringify({ window_started_at: start, window_writes: 7 }),
      START,
      String(seconds),
    ],
  );
  return row?.value;
}

Deno.test("a window counts from its start to a minute later, that moment excluded", async () => {
  await using test = await openTestDb();
  const counted = (seconds: number, start?: string | null) =>
    at(test, "root_data_window_writes", {
      seconds,
      ...(start === undefined ? {} : { start }),
    });
  for (const seconds of [0, 0.001, 30, 59, 59.999]) {
    equal(await counted(seconds), 7, `${seconds} s`);
  }
  for (const seconds of [-0.001, -3_600, 60, 60.001, 3_600]) {
    equal(await counted(seconds), 0, `${seconds} s`);
  }
  equal(await counted(0, null), 0);
});

Deno.test("a refusal never tells to come back before the window opens", async () => {
  await using test = await openTestDb();
  const cases: readonly (readonly [number, number])[] = [
    [0, 60],
    [0.001, 60],
    [0.999, 60],
    [1, 59],
    [10.5, 50],
    [59, 1],
    [59.001, 1],
    [59.999, 1],
    [60, 1], // At least one, whatever the clocks say.
  ];
  for (const [seconds, wait] of cases) {
    const told = await at(test, "root_data_retry_after", { seconds });
    equal(told, wait, `${seconds} s`);
  }
});
