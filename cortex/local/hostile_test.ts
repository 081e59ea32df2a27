import { deepEqual, equal } from "node:assert/strict";
import { openLocalCortex } from "../../tests/support/cortex/local_cortex.ts";

const SCOPE = "org:a";

function body(more: Record<string, unknown> = {}) {
  return {
    scope: SCOPE,
    modality: "conversation",
    content: { kind: "text", text: "x" },
    ...more,
  };
}

/** What is refused on `POST /v1/experience`, and as what. */
const REFUSED: Readonly<
  Record<string, readonly [unknown, number, string]>
> = {
  "NUL in a text": [
    body({ content: { text: "a\0b" } }),
    422,
    "INVALID_BODY",
  ],
  "half a surrogate pair": [
    '{"scope":"org:a","modality":"x","content":{"text":"\\ud800"}}',
    422,
    "INVALID_BODY",
  ],
  "NUL in a label": [
    body({ context: { labels: ["\0"] } }),
    422,
    "INVALID_BODY",
  ],
  "deep JSON": ["[".repeat(100_000), 400, "INVALID_BODY"],
  "deep JSON behind a string": [
    `{"a":"[","b":${"[".repeat(70)}${"]".repeat(70)}}`,
    400,
    "INVALID_BODY",
  ],
  "an unclosed string": [`{"a":"${"\\".repeat(99_999)}`, 400, "INVALID_BODY"],
  "no JSON": ["hello", 400, "INVALID_BODY"],
  "bytes that are not UTF-8": [
    new Uint8Array([0x22, 0xff, 0x22]),
    400,
    "INVALID_BODY",
  ],
  "a list": ["[]", 422, "INVALID_BODY"],
  "an unknown field": [body({ scpoe: 1 }), 422, "INVALID_BODY"],
  "an unknown content field": [
    body({ content: { text: "x", txt: "y" } }),
    422,
    "INVALID_BODY",
  ],
  "a kind of an object's own": [
    body({ content: { kind: "constructor", text: "x" } }),
    422,
    "INVALID_BODY",
  ],
  "a blob": [
    body({ content: { kind: "blob_ref", blob_id: "b" } }),
    422,
    "INVALID_BODY",
  ],
  "no scope": [body({ scope: undefined }), 422, "INVALID_BODY"],
  "a bare word": [body({ scope: "main" }), 422, "INVALID_SCOPE"],
  "a trailing slash": [body({ scope: "org:a/" }), 422, "INVALID_SCOPE"],
  "a foreign type": [
    body({ scope: "org:a/customer:b" }),
    422,
    "UNREGISTERED_SCOPE_TYPE",
  ],
  "a long path": [
    body({ scope: Array(33).fill("ws:a").join("/") }),
    422,
    "INVALID_SCOPE",
  ],
  "a number beyond a double": [
    '{"scope":"org:a","modality":"x","content":{"kind":"json","data":1e999}}',
    422,
    "INVALID_BODY",
  ],
  "too many labels": [
    body({ context: { labels: Array(65).fill("a") } }),
    422,
    "INVALID_BODY",
  ],
  "a long text": [
    body({ content: { text: "x".repeat(1024 * 1024 + 1) } }),
    422,
    "INVALID_ENVELOPE",
  ],
  "a year that no database knows": [
    body({ context: { observed_at: "0000-01-01T00:00:00Z" } }),
    422,
    "INVALID_BODY",
  ],
  "a time that is none": [
    body({ context: { observed_at: "2026-13-45T00:00:00Z" } }),
    422,
    "INVALID_BODY",
  ],
};

Deno.test("hostile bodies are refused by name, and store nothing", async (t) => {
  await using cortex = await openLocalCortex();
  for (const [name, [sent, status, code]] of Object.entries(REFUSED)) {
    await t.step(name, async () => {
      const answer = await cortex.call("POST", "experience", sent);
      deepEqual([answer.status, answer.body.error_code], [status, code]);
      equal(typeof answer.body.message, "string");
    });
  }
  deepEqual(await cortex.texts(SCOPE), []);
});

Deno.test("a huge body is refused before it is read whole", async () => {
  await using cortex = await openLocalCortex();
  const { status, body: answer } = await cortex.call(
    "POST",
    "experience",
    new Uint8Array(33 * 1024 * 1024),
  );
  deepEqual([status, answer.error_code], [413, "PAYLOAD_TOO_LARGE"]);
});

Deno.test("hostile queries are refused", async () => {
  await using cortex = await openLocalCortex();
  for (
    const path of [
      "events",
      "events?scope=",
      "events?scope=org:a%00",
      "events?scope=org:a&labels=%00",
      "events?scope=org:a&cusror=o1",
      "events?scope=org:a&cursor=o0",
      "events?scope=org:a&cursor='",
      "events?scope=org:a&limit=-1",
      "events?scope=org:a&view=all",
      "events?scope=org:a&since=yesterday",
      "scopes/list?prefix=",
      "scopes/list?prefix=org",
      "scopes/list?cursor=%00",
    ]
  ) {
    equal((await cortex.call("GET", path)).status, 422, path);
  }
  for (const path of ["events/%00", "events/evt_1", "erasures/x", "nothing"]) {
    equal((await cortex.call("GET", path)).status, 404, path);
  }
  equal((await cortex.call("GET", "recall")).status, 405);
});

Deno.test("texts that search syntax could trip over are stored and found", async () => {
  await using cortex = await openLocalCortex();
  const texts = [
    `it's a 'quoted' \\ back\\slash & | ! <-> :* (x)`,
    "日本語のテキスト 中文",
    "x".repeat(1024 * 1024),
    `${"word ".repeat(100_000)}`,
    "ﷺ".repeat(300_000),
    Array.from(
      { length: 64_000 },
      (_, at) => String.fromCodePoint(0x4e00 + at % 20_000),
    ).join(" "),
    Array.from({ length: 100_000 }, (_, at) => at.toString(36)).join("-"),
    "a:b:c:* %_ $1 \u2028",
  ];
  for (const text of texts) await cortex.write(SCOPE, text);
  deepEqual(await cortex.texts(SCOPE), texts.toReversed());
  for (const query of ["it's \\ 'quoted", "中文", ":* | & !", "<->", "%_"]) {
    const { status } = await cortex.call("POST", "recall", {
      scope: SCOPE,
      query,
    });
    equal(status, 200, query);
  }
});
