/** Vectors where the server has pgvector: measured there, as they are here. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { LogNear, LogNearRequest } from "../../cortex/local/port.ts";
import { HAS_NPM, SKIP_NOTE } from "../../tests/support/clients.ts";
import { entryOf, NO_FILTER } from "../../tests/support/log_entry.ts";
import { openVectorDb } from "../../tests/support/pglite.ts";
import { PostgresEventLog } from "./event_log.ts";

const MODEL = "compass/4";
const SCOPES = ["org:a/ws:main", "org:a/ws:other", "org:b/ws:main"];

/** A vector of length 1 that points so many degrees away from another one. */
function pointing(degrees: number): Float32Array {
  const angle = degrees * Math.PI / 180;
  const [x, y] = [Math.cos(angle), Math.sin(angle)].map((one) =>
    one / Math.SQRT2
  );
  return Float32Array.of(x ?? 0, y ?? 0, x ?? 0, y ?? 0);
}

/** Similarities as close as the numbers are kept; those alike by their ids. */
function rounded(events: readonly LogNear[]) {
  return events.map(({ id, similarity }) =>
    [id, similarity.toFixed(5)] as const
  )
    .sort(([a, x], [b, y]) => Number(y) - Number(x) || (a < b ? -1 : 1));
}

Deno.test({
  name:
    `a server with pgvector measures vectors itself, and as well${SKIP_NOTE}`,
  ignore: !HAS_NPM,
  async fn(t) {
    await using test = await openVectorDb();
    const { db } = test;
    const log = new PostgresEventLog(() => Promise.resolve(db));
    const hasVector = async () => {
      const [row] = await db.read(
        "select to_regtype('vector') is not null as it",
      );
      return row?.it === true;
    };
    equal(await hasVector(), false);
    await log.openModel(MODEL);
    ok(await hasVector());

    // Thirty degrees apart, in every scope the same.
    const events = SCOPES.flatMap((scope) =>
      Array.from({ length: 12 }, (_, at) => ({
        scope,
        actor: "user:a",
        modality: "observation",
        kind: "text",
        labels: [at % 2 === 0 ? "even" : "odd"],
        content: { kind: "text", text: `north and ${30 * at}` },
        context: {},
        index: entryOf(`north and ${30 * at}`),
        observedAt: undefined,
        idempotencyKey: undefined,
        bodyHash: `${scope} ${at}`,
      }))
    );
    const appended = await log.append(events);
    ok(appended.ok);
    const ids = appended.receipts.map(({ id }) => id);
    const taken = await log.takeUnembedded(MODEL, 100);
    equal(taken.length, events.length);
    await log.embed(
      MODEL,
      taken.map((event) => ({
        event,
        vectors: [{
          part: 0,
          numbers: pointing(30 * (ids.indexOf(event.id) % 12)),
        }],
      })),
    );
    equal(await log.countUnembedded(100), 0);
    const near = (more: Partial<LogNearRequest> = {}) =>
      log.nearest({
        scopes: SCOPES.slice(0, 1),
        filter: NO_FILTER,
        model: MODEL,
        numbers: pointing(40),
        limit: 3,
        ...more,
      });
    const asked: readonly Partial<LogNearRequest>[] = [
      {},
      { limit: 12 },
      { scopes: SCOPES.slice(0, 2), limit: 4 },
      { filter: { ...NO_FILTER, labels: ["even"] } },
      { model: "another/4" },
    ];
    const found = await Promise.all(asked.map(near));

    await t.step("the nearest come first, by the cosine of the angle", () => {
      const [first] = found;
      const cosine = (degrees: number) =>
        Math.cos(degrees * Math.PI / 180).toFixed(5);
      deepEqual(rounded(first?.events ?? []), [
        [ids[1], cosine(10)],
        [ids[2], cosine(20)],
        [ids[0], cosine(40)],
      ]);
      equal(first?.compared, 12);
    });
    await t.step("of the scopes, the filter and the model alone", () => {
      const idsOf = (at: number) =>
        found[at]?.events.map(({ id }) => id).sort();
      deepEqual(idsOf(2), [ids[1], ids[2], ids[13], ids[14]].sort());
      deepEqual(idsOf(3), [ids[0], ids[2], ids[4]].sort());
      deepEqual(idsOf(4), []);
    });
    await t.step("the rows hold similarities, and no vectors", async () => {
      const rows = await db.read(
        `select similarity, vector from cortex_near('org:a', $1::text[], $2,
           '1111', '{0.5,0.5,0.5,0.5}'::real[], 5, false, '{}', '{}', null,
           '-infinity', 'infinity', 'infinity')`,
        [SCOPES.slice(0, 1), MODEL],
      );
      equal(rows.length, 5);
      ok(
        rows.every(({ similarity, vector }) =>
          typeof similarity === "number" && vector === null
        ),
      );
    });
    await t.step("the same come where pgvector is taken away", async () => {
      await db.write("drop extension vector");
      equal(await hasVector(), false);
      const without = await Promise.all(asked.map(near));
      const facts = (one: (typeof found)[number]) => ({
        ...one,
        events: rounded(one.events),
      });
      deepEqual(without.map(facts), found.map(facts));
    });
  },
});
