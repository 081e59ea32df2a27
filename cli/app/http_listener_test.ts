import { equal, match, ok } from "node:assert/strict";
import {
  type ConnectionLimits,
  type HttpAnswer,
  type ListenerEvent,
  listenHttp,
  mostConnections,
} from "./http_listener.ts";

const PATIENT: ConnectionLimits = {
  most: 100,
  firstRequestMs: 60_000,
  idleMs: 60_000,
  everyMs: 20,
};
const HASTY = { ...PATIENT, firstRequestMs: 60, idleMs: 60 };

const hello: HttpAnswer = () => Promise.resolve(new Response("hello"));

function open(limits: ConnectionLimits, answer: HttpAnswer = hello) {
  const events: ListenerEvent[] = [];
  const listener = listenHttp({
    hostname: "127.0.0.1",
    port: 0,
    answer,
    limits,
    report: (event) => events.push(event),
  });
  const { port } = listener.address;
  return {
    listener,
    events,
    url: `http://127.0.0.1:${port}/`,
    connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
    [Symbol.asyncDispose]: () => listener.shutdown(),
  };
}

/** Everything that comes until the other side closes. */
async function readToEnd(connection: Deno.Conn): Promise<string> {
  let text = "";
  const buffer = new Uint8Array(4_096);
  try {
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) break;
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
  } catch {
    // Reset: it was closed, too.
  }
  connection.close();
  return text;
}

const send = (connection: Deno.Conn, text: string) =>
  connection.write(new TextEncoder().encode(text));

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  return await response.text();
}

Deno.test("a connection that sends nothing, or half a header, is ended", async () => {
  await using server = open(HASTY);
  const silent = await server.connect();
  const half = await server.connect();
  await send(half, "GET / HTTP/1.1\r\nHos");
  equal(await readToEnd(silent), "");
  equal(await readToEnd(half), "");
});

Deno.test("a connection that rests after an answer is ended", async () => {
  await using server = open(HASTY);
  const connection = await server.connect();
  await send(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  match(await readToEnd(connection), /200 OK[^]*hello$/);
});

Deno.test("an answer that takes longer than any rest is waited for, a stream too", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = open(HASTY, async () => {
    await gate.promise;
    return new Response(
      new ReadableStream<Uint8Array>({
        async start(stream) {
          stream.enqueue(new TextEncoder().encode("first "));
          await rests(6);
          stream.enqueue(new TextEncoder().encode("last"));
          stream.close();
        },
      }),
    );
  });
  // Two that rest show that the watch went round meanwhile.
  const rests = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await readToEnd(await server.connect());
    }
  };
  const answer = textOf(server.url);
  await rests(2);
  gate.resolve();
  equal(await answer, "first last");
});

Deno.test("beyond the most connections the one that rests longest gives way", async () => {
  await using server = open({ ...PATIENT, most: 3 });
  const silent = [];
  for (let at = 0; at < 3; at++) silent.push(await server.connect());
  const [first] = silent;
  equal(await textOf(server.url), "hello");
  equal(await readToEnd(first as Deno.Conn), "");
  equal(server.events[0]?.kind, "connections_full");
  for (const one of silent.slice(1)) one.close();
});

Deno.test("where all connections are at work, the new one is closed", async () => {
  const gate = Promise.withResolvers<void>();
  const came = Promise.withResolvers<void>();
  await using server = open({ ...PATIENT, most: 1 }, async () => {
    came.resolve();
    await gate.promise;
    return new Response("done");
  });
  const first = textOf(server.url);
  await came.promise;
  equal(await readToEnd(await server.connect()), "");
  gate.resolve();
  equal(await first, "done");
});

Deno.test("shutdown waits for answers under way and ends what rests", async () => {
  const gate = Promise.withResolvers<void>();
  const came = Promise.withResolvers<void>();
  const server = open(PATIENT, async () => {
    came.resolve();
    await gate.promise;
    return new Response("done");
  });
  const silent = await server.connect();
  const answer = textOf(server.url);
  await came.promise;
  const down = server.listener.shutdown();
  gate.resolve();
  equal(await answer, "done");
  await down;
  equal(await readToEnd(silent), "");
});

Deno.test("HTTP/2 without TLS is served", async () => {
  await using server = open(
    PATIENT,
    (request) => Promise.resolve(new Response(new URL(request.url).host)),
  );
  const { stdout } = await new Deno.Command("curl", {
    args: ["-s", "--http2-prior-knowledge", server.url],
  }).output();
  equal(
    new TextDecoder().decode(stdout),
    new URL(server.url).host,
  );
});

Deno.test("mostConnections() leaves descriptors for the rest of the process", async () => {
  const most = await mostConnections();
  ok(Number.isInteger(most) && most >= 8 && most <= 16_384);
});
