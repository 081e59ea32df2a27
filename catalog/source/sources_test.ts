import { deepEqual, equal, match, ok } from "node:assert/strict";

import {
  readSource,
  type SourceOptions,
  type SourceReading,
} from "./sources.ts";

type Handler = (request: Request) => Response | Promise<Response>;

const NEVER = new AbortController().signal;

/** Serves one handler on a free port for the time of a test. */
async function withServer(
  handler: Handler,
  run: (base: string) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    handler,
  );
  await run(`http://127.0.0.1:${server.addr.port}`);
}

function read(
  url: string,
  options: Partial<SourceOptions> = {},
): Promise<SourceReading> {
  return readSource(
    { kind: "http", url: new URL(url) },
    { fetch, signal: NEVER, ...options },
  );
}

function reasonOf(reading: SourceReading): string {
  return reading.kind === "failed" ? reading.reason : reading.kind;
}

Deno.test("readSource() reads a document and what its server says of it", async () => {
  const headers = { etag: '"1"', "last-modified": "Mon" };
  await withServer(() => new Response("{}", { headers }), async (base) => {
    deepEqual(await read(base), {
      kind: "content",
      text: "{}",
      validators: { etag: '"1"', lastModified: "Mon" },
    });
  });
});

Deno.test("readSource() asks conditionally and takes 304 for unchanged", async () => {
  await withServer((request) => {
    const isKnown = request.headers.get("if-none-match") === '"1"' &&
      request.headers.get("if-modified-since") === "Mon";
    return new Response(null, { status: isKnown ? 304 : 500 });
  }, async (base) => {
    const validators = { etag: '"1"', lastModified: "Mon" };
    deepEqual(await read(base, { validators }), { kind: "unchanged" });
  });
});

Deno.test("readSource() takes 304 for a failure when it did not ask", async () => {
  await withServer(() => new Response(null, { status: 304 }), async (base) => {
    equal(reasonOf(await read(base)), "The server answered 304");
  });
});

Deno.test("readSource() fails for every other status", async () => {
  for (const status of [204, 206, 400, 401, 403, 404, 410, 418, 500, 503]) {
    const body = status === 204 ? null : "{}";
    await withServer(() => new Response(body, { status }), async (base) => {
      match(reasonOf(await read(base)), new RegExp(`answered ${status}`));
    });
  }
});

Deno.test("readSource() follows redirects", async () => {
  await withServer((request) => {
    const { pathname } = new URL(request.url);
    return pathname === "/a"
      ? new Response("moved", { status: 302, headers: { location: "/b" } })
      : new Response('{"at":"b"}');
  }, async (base) => {
    const reading = await read(`${base}/a`);
    equal(reading.kind === "content" && reading.text, '{"at":"b"}');
  });
});

Deno.test("readSource() gives up on a redirect loop", async () => {
  let hits = 0;
  await withServer(() => {
    hits++;
    return new Response(null, { status: 302, headers: { location: "/" } });
  }, async (base) => {
    match(reasonOf(await read(base)), /redirects more than 5 times/);
    equal(hits, 6);
  });
});

Deno.test("readSource() does not follow a redirect away from http(s)", async () => {
  for (const location of ["file:///etc/passwd", "data:application/json,{}"]) {
    const answer = () =>
      new Response(null, { status: 302, headers: { location } });
    await withServer(answer, async (base) => {
      match(reasonOf(await read(base)), /not secure/);
    });
  }
});

Deno.test("readSource() does not follow a redirect from https to http", async () => {
  const seen: string[] = [];
  const reading = await read("https://h/a", {
    fetch: (input) => {
      seen.push(String(input));
      const headers = { location: "http://h/a" };
      return Promise.resolve(new Response(null, { status: 301, headers }));
    },
  });
  match(reasonOf(reading), /not secure/);
  deepEqual(seen, ["https://h/a"]);
});

Deno.test("readSource() fails for a redirect without an address", async () => {
  await withServer(() => new Response(null, { status: 302 }), async (base) => {
    match(reasonOf(await read(base)), /without a usable address/);
  });
});

Deno.test("readSource() sends credentials to their own origin only", async () => {
  const seen: (string | null)[] = [];
  await withServer((request) => {
    seen.push(request.headers.get("authorization"));
    return new Response("{}");
  }, async (other) => {
    await withServer((request) => {
      seen.push(request.headers.get("authorization"));
      return Response.redirect(other);
    }, async (base) => {
      await read(base.replace("//", "//us%C3%A9r:p%zz@"));
    });
  });
  const expected = new TextEncoder().encode("usér:p%zz").toBase64();
  deepEqual(seen, [`Basic ${expected}`, null]);
});

Deno.test("readSource() stops at the size limit, announced or not", async () => {
  const announced = () => new Response("x".repeat(2_000));
  const streamed = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode("x".repeat(500)));
        },
      }),
    );
  for (const handler of [announced, streamed]) {
    await withServer(handler, async (base) => {
      const reading = await read(base, { maxBytes: 1_000 });
      match(reasonOf(reading), /larger than 1000 bytes/);
    });
  }
});

Deno.test("readSource() stops at the time limit while a body trickles", async () => {
  const stall = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("{"));
        },
      }),
    );
  await withServer(stall, async (base) => {
    const reading = await read(base, { timeoutMs: 100 });
    match(reasonOf(reading), /No full answer within 0.1 seconds/);
  });
});

Deno.test("readSource() refuses text that is not UTF-8", async () => {
  const handler = () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]));
  await withServer(handler, async (base) => {
    match(reasonOf(await read(base)), /not UTF-8/);
  });
});

Deno.test("readSource() names an unreachable server and no part of its URL", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const url = `http://user:hidden@127.0.0.1:${port}/x?token=hidden`;
  const reason = reasonOf(await read(url));
  match(reason, /refused the connection/);
  ok(!reason.includes("hidden"));
});

Deno.test("readSource() says why a file cannot be read", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const rows: [string, RegExp][] = [
      [folder, /is a folder; name the air.json/],
      [`${folder}/none.json`, /does not exist/],
      ["/dev/null", /not a regular file/],
      [`${folder}/big.json`, /larger than 10 bytes/],
    ];
    await Deno.writeTextFile(`${folder}/big.json`, "x".repeat(11));
    for (const [path, reason] of rows) {
      const reading = await readSource(
        { kind: "file", path },
        { fetch, signal: NEVER, maxBytes: 10 },
      );
      match(reasonOf(reading), reason);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
