import { deepEqual, equal, match } from "node:assert/strict";
import { API_KEY } from "../support/endpoint.ts";
import { leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

/** A stream that is read event by event. */
class Stream implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** The next event of a kind; others are passed over. */
  // deno-lint-ignore no-explicit-any -- tests look into events freely
  async next(kind: string): Promise<{ readonly id: string; data: any }> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await this.#reader.read();
        if (done) throw new Error("The stream has ended");
        this.#rest += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const lines = this.#rest.slice(0, end).split("\n");
      this.#rest = this.#rest.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? "";
      if (field("event") !== kind) continue;
      return { id: field("id"), data: JSON.parse(field("data")) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}

async function follow(
  bench: TurnBench,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const response = await bench.endpoint.fetch(
    `/api/v1/sessions/${path}`,
    { headers: { "x-api-key": API_KEY, ...headers } },
  );
  equal(response.status, 200);
  match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  if (response.body === null) throw new Error("No body");
  return new Stream(response.body);
}

Deno.test("a transcript is followed as it comes, and goes on behind the last event that was seen", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(leaseRequest());
  const { turn_id, lease_no } = turn ?? { turn_id: 0, lease_no: 0 };
  let seq = 0;
  const say = async (text: string) => {
    seq++;
    await bench.client.events(turn_id, {
      lease_no,
      first_seq: seq,
      events: [{ seq, after_ms: 0, kind: "text", payload: { text } }],
    });
  };
  await say("one\nline: two");
  const path = `${id}/transcript/events`;
  await using whole = await follow(bench, path);
  const first = await whole.next("said");
  deepEqual([first.data.turn, first.data.seq, first.data.text], [
    1,
    1,
    "one\nline: two",
  ]);
  equal((await whole.next("state")).data.status, "running");
  await say("two");
  const second = await whole.next("said");
  deepEqual([second.id, second.data.text], [`${turn_id}.2`, "two"]);
  await say("three");
  // Where both are given, the one that the client saw last counts.
  await using again = await follow(bench, `${path}?after=${turn_id}.1`, {
    "last-event-id": second.id,
  });
  equal((await again.next("said")).data.text, "three");
  await using behind = await follow(bench, `${path}?after=${first.id}`);
  equal((await behind.next("said")).data.text, "two");
  await bench.client.release(turn_id, { lease_no, detail: "over" });
  equal((await whole.next("state")).data.status, "waiting");
});

Deno.test("a place that is none, and a session that is not there, are refused before a stream begins", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  for (
    const [path, status] of [
      [`${id}/transcript/events?after=here`, 422],
      [`${id + 1}/transcript/events`, 404],
    ] as const
  ) {
    const answer = await bench.endpoint.fetch(`/api/v1/sessions/${path}`, {
      headers: { "x-api-key": API_KEY },
    });
    equal(answer.status, status);
    await answer.body?.cancel();
  }
});

Deno.test("HEAD answers the headers of what would stay open, and leaves nothing open", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  for (
    const path of [
      `/api/v1/sessions/${id}/transcript/events`,
      "/board/feed",
      `/sessions/${id}/feed`,
    ]
  ) {
    const answer = await bench.endpoint.fetch(path, {
      method: "HEAD",
      headers: { "x-api-key": API_KEY },
    });
    deepEqual([path, answer.status, answer.body], [path, 200, null]);
    match(
      answer.headers.get("content-type") ?? "",
      /^text\/event-stream/,
    );
  }
});
