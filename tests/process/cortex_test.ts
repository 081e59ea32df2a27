import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openHome, runVerb, startServer } from "../support/process.ts";

const SCOPE = "org:a/ws:main";

async function keyOf(home: string): Promise<string> {
  return (await Deno.readTextFile(`${home}/api-key`)).trim();
}

function write(url: string, key: string, text: string): Promise<Response> {
  return fetch(`${url}/v1/experience`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      scope: SCOPE,
      modality: "conversation",
      content: { text },
      idempotency_key: text,
    }),
  });
}

async function listed(url: string, key: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor = ""; cursor !== "end";) {
    const response = await fetch(
      `${url}/v1/events?scope=${SCOPE}&limit=500${cursor}`,
      { headers: { authorization: `Bearer ${key}` } },
    );
    const page = await response.json();
    for (const { content } of page.items) texts.push(content.text);
    cursor = page.has_more ? `&cursor=${page.next_cursor}` : "end";
  }
  return texts;
}

Deno.test("cortex loses nothing it acknowledged when it is killed in the middle of writes", async () => {
  await using home = await openHome();
  const acknowledged: string[] = [];
  for (let round = 0; round < 2; round++) {
    await using server = await startServer(home.env, [], {
      verb: "cortex",
    });
    const key = await keyOf(home.home);
    const { promise: isBusy, resolve } = Promise.withResolvers<void>();
    let isKilled = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let at = 0;; at++) {
        const text = `${round}-${writer}-${at}`;
        const answer = await write(server.url, key, text)
          .then(async ({ status, body }) => {
            return { status, text: await new Response(body).text() };
          })
          .catch((error: unknown) => {
            if (!isKilled) throw error;
          });
        if (answer === undefined) return; // Under way: not acknowledged.
        equal(answer.status, 202, answer.text);
        acknowledged.push(text);
        if (acknowledged.length >= 40 * (round + 1)) resolve();
      }
    });
    await Promise.race([isBusy, Promise.all(writers)]);
    isKilled = true;
    await server.stop("SIGKILL");
    await Promise.all(writers);
  }
  await using server = await startServer(home.env, [], {
    verb: "cortex",
  });
  const key = await keyOf(home.home);
  const texts = await listed(server.url, key);
  equal(new Set(texts).size, texts.length);
  const lost = acknowledged.filter((text) => !texts.includes(text));
  deepEqual(lost, []);
  // A writer that heard nothing sends again: stored once, whatever happened.
  await (await write(server.url, key, "0-0-0")).json();
  equal((await listed(server.url, key)).length, texts.length);
  equal(await server.stop(), 0);
});

Deno.test("cortex asks for its key, and refuses foreign host names", async () => {
  await using home = await openHome();
  await using server = await startServer(home.env, [], {
    verb: "cortex",
  });
  const health = await fetch(`${server.url}/v1/health`);
  equal((await health.json()).status, "healthy");
  const bare = await fetch(`${server.url}/v1/auth/whoami`, {
    headers: { "x-cortex-actor": "user:x" },
  });
  equal((await bare.json()).error_code, "UNAUTHORIZED");
  const port = Number(new URL(server.url).port);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(
    new TextEncoder().encode(
      "GET /v1/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ),
  );
  const raw = await new Response(connection.readable).text();
  match(raw, /^HTTP\/1.1 403/);
});

Deno.test("cortex does not serve other machines without a key", async () => {
  await using home = await openHome();
  const { code, stderr } = await runVerb(
    ["cortex", "--host", "0.0.0.0"],
    home.env,
  );
  equal(code, 2);
  ok(stderr.includes("API_KEYS"), stderr);
});
