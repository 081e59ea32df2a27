import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { followUp, forkSession, UNRESTRICTED } from "../../fleet/mod.ts";
import { editSession } from "../../store/sessions/mod.ts";
import { closeTurn, leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

const COMMITS = [1, 2, 3].map((n) => String(n).repeat(40));

/** Has the next turn said and answered. */
async function turn(
  bench: TurnBench,
  answer: string,
  commit: string | null,
) {
  const { client } = bench;
  const { turn } = await client.lease(leaseRequest());
  const lease = { lease_no: Number(turn?.lease_no), first_seq: 1 };
  const event = (seq: number, kind: "text" | "delivered", payload: object) => ({
    seq,
    kind,
    after_ms: 0,
    payload: { ...payload },
  });
  await client.events(Number(turn?.turn_id), {
    ...lease,
    events: [event(1, "delivered", {}), event(2, "text", { text: answer })],
  });
  const git = commit === null ? null : {
    before: null,
    after: commit,
    branch: "main",
    dirty: [],
    dirty_count: 0,
    unpushed: 1,
  };
  await closeTurn({ client }, turn, { final_seq: 2, git });
  return turn;
}

/** The turn in which a session is told something. */
async function told(bench: TurnBench, id: number, words: string) {
  await followUp(bench.endpoint.services, UNRESTRICTED, id, { content: words });
  return (await bench.client.lease(leaseRequest())).turn;
}

async function idsOf(bench: TurnBench, id: number): Promise<number[]> {
  const rows = await bench.rows(
    "select id from turns where session_id = $1 order by ordinal",
    [id],
  );
  return rows.map((row) => Number(row.id));
}

Deno.test("a fork begins with what was said up to a turn, at the commit that the tree was at", async () => {
  await using bench = await openTurnBench();
  const { services } = bench.endpoint;
  const id = await bench.start("Plant tulips", "claude_code");
  await turn(bench, "They are planted", COMMITS[0] ?? "");
  await bench.tell(id, "x".repeat(1_200));
  await turn(bench, "Watered", null);
  await bench.tell(id, "Plant roses");
  await turn(bench, "No roses here", COMMITS[2] ?? "");
  const [, second = 0] = await idsOf(bench, id);

  const middle = await forkSession(services, UNRESTRICTED, id, {
    turnId: second,
  });
  const fork = middle.session.id;
  const first = await told(bench, fork, "And lilies?");
  equal(first?.session_id, fork);
  equal(first?.prompt, "And lilies?");
  match(
    String(first?.recap),
    new RegExp(
      `forked from session ${id} after its turn 2\\. .*\\n\\n` +
        `Turn 1 of session ${id}\\nYou were told: Plant tulips\\nYou said: They are planted\\n\\n` +
        `Turn 2 of session ${id}\\nYou were told: x{1000}… \\(cut\\)\\nYou said: Watered$`,
    ),
  );
  // The turn that it was forked after told no commit: it is the one before's.
  deepEqual(first?.tree.fork, { commit: COMMITS[0], session_id: id });
  await closeTurn(bench, first);

  // A fork of the fork has heard both; by number, as the tool has it.
  const { session: last } = await forkSession(services, UNRESTRICTED, fork, {
    messageIndex: 0,
  });
  const next = await told(bench, last.id, "Go on");
  match(
    String(next?.recap),
    new RegExp(
      `forked from session ${fork} after its turn 1[^]*Plant tulips[^]*Watered[^]*` +
        `Turn 1 of session ${fork}\\nYou were told: And lilies\\?\\nYou said: \\(nothing\\)$`,
    ),
  );
  await closeTurn(bench, next);

  // Once its own conversation is there, what it had of the other is a recap only.
  await bench.endpoint.test.db.transaction((tx) =>
    editSession(tx, last.id, {
      metadata: { forked_from: { session_id: fork, turn: 1, commit: "--x" } },
    })
  );
  const later = await told(bench, last.id, "More");
  equal(later?.tree.fork, null);
});

Deno.test("a fork after what was never said is refused and makes nothing; of all that was said it needs no number", async () => {
  await using bench = await openTurnBench();
  const { services } = bench.endpoint;
  const id = await bench.start("Plant tulips", "claude_code");
  const other = await bench.start("Water them", "claude_code");
  const count = "select count(*)::int as n from sessions";
  const before = await bench.rows(count);
  const [queued = 0] = await idsOf(bench, id);
  for (const turnId of [queued, queued + 1_000, NaN]) {
    await rejects(
      forkSession(services, UNRESTRICTED, id, { turnId }),
      /no turn (\d+|NaN) in which something was said .* Nothing was changed/,
    );
  }
  deepEqual(await bench.rows(count), before);
  const { session } = await forkSession(services, UNRESTRICTED, id);
  deepEqual(session.metadata, {
    forked_from: { session_id: id, message_index: 0 },
  });
  // Turns of another session are none of this one's.
  await turn(bench, "Yes", null);
  await turn(bench, "Yes", null);
  const [foreign = 0] = await idsOf(bench, other);
  await rejects(
    forkSession(services, UNRESTRICTED, id, { turnId: foreign }),
    /has no turn/,
  );
});
