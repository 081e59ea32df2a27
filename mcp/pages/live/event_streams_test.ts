import { deepEqual, equal, match, ok } from "node:assert/strict";
import { EventStreams, type SendEvent } from "./event_streams.ts";

Deno.test("a stream sends events in their form, and ends when its client leaves", async () => {
  const streams = new EventStreams();
  let send: SendEvent = () => {};
  let ended = 0;
  const response = streams.open((given) => {
    send = given;
    return () => ended++;
  });
  equal(
    response?.headers.get("content-type"),
    "text/event-stream; charset=utf-8",
  );
  const reader = response?.body?.pipeThrough(new TextDecoderStream())
    .getReader();
  match((await reader?.read())?.value ?? "", /^retry: \d+\n\n$/);
  send({ event: "card", data: "{}", id: "7" });
  equal((await reader?.read())?.value, "id: 7\nevent: card\ndata: {}\n\n");
  equal(streams.size, 1);
  await reader?.cancel();
  equal(ended, 1);
  equal(streams.size, 0);
  send({ event: "card", data: "{}" }); // Nobody is there, and nothing breaks.
});

Deno.test("a client that does not read is let go", async () => {
  const streams = new EventStreams();
  let send: SendEvent = () => {};
  let isOver = false;
  const response = streams.open((given) => {
    send = given;
    return () => {
      isOver = true;
    };
  });
  const data = "x".repeat(100_000);
  for (let n = 0; n < 20 && !isOver; n++) send({ event: "card", data });
  ok(isOver);
  equal(streams.size, 0);
  await response?.body?.cancel();
});

Deno.test("a server that stops ends its streams and opens no other", async () => {
  const streams = new EventStreams();
  const response = streams.open(() => {});
  const text = response?.text();
  streams.close();
  match(await text ?? "", /^retry/);
  equal(streams.open(() => {}), undefined);
});

Deno.test("there is a most number of streams", async () => {
  const streams = new EventStreams();
  const responses = [];
  for (let n = 0; n < 1_000; n++) responses.push(streams.open(() => {}));
  equal(streams.open(() => {}), undefined);
  await responses[0]?.body?.cancel();
  ok(streams.open(() => {}) !== undefined);
  streams.close();
});

Deno.test("streams of a sign-in end with it, and those of others go on", () => {
  const streams = new EventStreams();
  const holder = { signIn: "1", standing: "", name: "ann", until: Infinity };
  const ended: string[] = [];
  streams.open(() => () => ended.push("ann"), holder);
  streams.open(() => () => ended.push("ann again"), holder);
  streams.open(() => () => ended.push("bob"), { ...holder, signIn: "2" });
  streams.open(() => () => ended.push("a program"));
  streams.endOf("1");
  deepEqual(ended, ["ann", "ann again"]);
  equal(streams.size, 2);
  streams.close();
});
