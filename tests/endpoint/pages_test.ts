import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import {
  cookieOf,
  expiredCookie,
  FORM,
  ORIGIN,
  postForm,
  signIn,
} from "../support/pages.ts";
import { openWriter } from "../support/root_data.ts";

const PAGES = [
  "/health",
  "/supervisor/agent_root_records",
  "/supervisor/agent_root_record_counters",
] as const;

/** Status and body of a page asked for with a cookie. */
async function page(
  endpoint: TestEndpoint,
  path: string,
  cookie: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await endpoint.fetch(path, { headers: { cookie } });
  return { status: response.status, text: await response.text() };
}

/** Where a request is sent on to. */
async function target(
  endpoint: TestEndpoint,
  path: string,
  headers: Record<string, string> = {},
): Promise<string | null> {
  const response = await endpoint.fetch(path, { headers });
  await response.body?.cancel();
  equal(response.status, 303);
  return response.headers.get("location");
}

Deno.test("a page without a sign-in leads to the form, which leads back to it", async () => {
  await using endpoint = await openEndpoint();
  equal(await target(endpoint, "/"), "/board");
  for (const path of PAGES) {
    const asked = `${path}?namespace=a%26b`;
    const form = await target(endpoint, asked) ?? "";
    equal(form, `/sign_in?next=${encodeURIComponent(asked)}`);
    const { text } = await page(endpoint, form, "");
    const next = /name="next" value="([^"]*)"/.exec(text)?.[1];
    equal(next, asked);
    const response = await postForm(endpoint, "/sign_in", {
      key: ` ${API_KEY}\n`,
      next: next ?? "",
    });
    equal(response.status, 303);
    equal(response.headers.get("location"), asked);
    const cookie = cookieOf(response);
    equal((await page(endpoint, path, cookie)).status, 200);
    equal(await target(endpoint, form, { cookie }), "/board");
  }
});

Deno.test("the cookie is kept from scripts and other sites, ends, and is Secure over TLS only", async () => {
  await using endpoint = await openEndpoint();
  const set = async (origin: string) => {
    const response = await postForm(endpoint, "/sign_in", { key: API_KEY }, {
      headers: { origin, "sec-fetch-site": "same-origin" },
    });
    return response.headers.get("set-cookie") ?? "";
  };
  const plain = await set(ORIGIN);
  match(plain, /; HttpOnly/);
  match(plain, /; SameSite=Lax/);
  match(plain, /; Max-Age=43200/);
  match(plain, /; Path=\//);
  ok(!/Secure|Domain/.test(plain));
  match(await set("https://rootcellar.example"), /; Secure/);
});

Deno.test("the key is in no cookie, URL, page or log", async () => {
  const key = "a-key-like-no-other";
  await using endpoint = await openEndpoint({ apiKeys: [key] });
  const good = await postForm(endpoint, "/sign_in", { key });
  const wrong = await postForm(endpoint, "/sign_in", { key: `${key}-not` });
  const seen = [
    JSON.stringify([...good.headers, ...wrong.headers]),
    await good.text(),
    await wrong.text(),
    ...endpoint.logged,
  ].join("\n");
  ok(endpoint.logged.some((line) => line.includes("page_sign_in")));
  ok(!seen.includes(key), seen);
});

Deno.test("a wrong, empty or malformed key is refused with the form and no cookie", async () => {
  await using endpoint = await openEndpoint();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const refusals: readonly (readonly [string, number, RegExp])[] = [
    ["wrong", 401, /not an API key of this server/],
    ["  ", 400, /Enter a key/],
    ["ключ\0\ud800", 401, /not an API key/],
    [token ?? "", 403, /a session’s token/],
    [`"><script>alert(1)</script>`, 401, /not an API key/],
  ];
  for (const [key, status, words] of refusals) {
    const response = await postForm(endpoint, "/sign_in", {
      key,
      next: PAGES[1],
    });
    equal(response.status, status);
    equal(response.headers.get("set-cookie"), null);
    const text = await response.text();
    match(text, words);
    match(text, /name="next" value="\/supervisor\/agent_root_records"/);
    ok(!text.includes("<script"));
  }
  const broken = await endpoint.fetch("/sign_in", {
    method: "POST",
    headers: {
      "content-type": "multipart/form-data; boundary=x",
      origin: ORIGIN,
    },
    body: "--y broken",
  });
  equal(broken.status, 400);
  await broken.body?.cancel();
  const large = await postForm(endpoint, "/sign_in", {
    key: "x".repeat(20_000),
  });
  equal(large.status, 413);
  match(await large.text(), /at most 16384 bytes/);
});

Deno.test("wrong keys in the form and in headers close one brake, and a right one passes", async () => {
  await using endpoint = await openEndpoint();
  const post = (key: string) =>
    postForm(endpoint, "/sign_in", { key }, { address: "192.0.2.7" });
  const cookie = await signIn(endpoint);
  for (let n = 0; n < 10; n++) {
    await (await post(`guess ${n}`)).body?.cancel();
    const other = await endpoint.fetch("/health", {
      headers: { "x-api-key": `guess ${n}` },
    }, "192.0.2.7");
    equal(other.status, 401);
    await other.body?.cancel();
  }
  const braked = await post("guess");
  equal(braked.status, 429);
  ok(Number(braked.headers.get("retry-after")) > 0);
  equal(braked.headers.get("set-cookie"), null);
  match(await braked.text(), /Too many wrong keys/);
  const right = await post(API_KEY);
  equal(right.status, 303);
  await right.body?.cancel();
  // Who is signed in already is not shut out by others at the same address.
  const inside = await endpoint.fetch(
    "/health",
    { headers: { cookie } },
    "192.0.2.7",
  );
  equal(inside.status, 200);
  await inside.body?.cancel();
});

Deno.test("a tampered, foreign, borrowed or expired cookie opens nothing", async () => {
  await using endpoint = await openEndpoint();
  await using other = await openEndpoint({ apiKeys: ["another-key"] });
  const cookie = await signIn(endpoint);
  const [name = "", value = ""] = cookie.split(/=(.*)/s);
  const signature = value.split(".")[1] ?? "";
  for (
    const bad of [
      await signIn(other, "another-key"),
      await expiredCookie(API_KEY),
      `${name}=`,
      `${name}=9999999999`,
      `${name}=9999999999.${signature}`,
      `${name}=${value.slice(0, -8)}AAAAAA%3D`,
      `${name}=NaN.${signature}`,
      `${name}=%E0%A4%A`,
      `x${cookie}`,
    ]
  ) {
    const response = await endpoint.fetch("/health", {
      headers: { cookie: bad },
    });
    equal(response.status, 303, bad);
    await response.body?.cancel();
  }
  equal((await page(endpoint, "/health", `a=b; ${cookie}; c=d`)).status, 200);
  const { text } = await page(endpoint, "/sign_in", `${name}=${value}x`);
  match(text, /Your sign-in has ended/);
});

Deno.test("a copy with the same keys takes the cookie; without the key its holder is out", async () => {
  await using one = await openEndpoint({ apiKeys: ["first", "second"] });
  await using two = await openEndpoint({ apiKeys: ["new", "second"] });
  const second = await signIn(one, "second");
  equal((await page(two, "/health", second)).status, 200);
  const first = await signIn(one, "first");
  equal((await page(one, "/health", first)).status, 200);
  equal((await page(two, "/health", first)).status, 303);
});

Deno.test("signing out takes the cookie away and says so", async () => {
  await using endpoint = await openEndpoint();
  const cookie = await signIn(endpoint);
  const response = await postForm(endpoint, "/sign_out", {}, {
    headers: { cookie, origin: ORIGIN },
  });
  equal(response.status, 303);
  match(response.headers.get("set-cookie") ?? "", /=; Max-Age=0; Path=\//);
  const { text } = await page(
    endpoint,
    response.headers.get("location") ?? "",
    "",
  );
  match(text, /You are signed out/);
  const get = await endpoint.fetch("/sign_out", { headers: { cookie } });
  equal(get.status, 404);
  await get.body?.cancel();
});

Deno.test("forms of other sites are refused, whatever origins may call the API", async () => {
  await using endpoint = await openEndpoint({
    allowedHosts: ["*"],
    allowedOrigins: ["*"],
  });
  const headers: Record<string, string>[] = [
    {},
    { origin: "null" },
    { origin: "http://evil.example" },
    { origin: "http://localhost:8080" },
    { origin: "http://localhost.evil.example", "sec-fetch-site": "cross-site" },
    { origin: "http://other.localhost", "sec-fetch-site": "same-site" },
  ];
  for (const path of ["/sign_in", "/sign_out"]) {
    for (const foreign of headers) {
      const response = await postForm(endpoint, path, { key: API_KEY }, {
        headers: foreign,
      });
      equal(response.status, 403, JSON.stringify(foreign));
      equal(response.headers.get("set-cookie"), null);
      match(await response.text(), /did not come from this server’s own page/);
    }
  }
});

Deno.test("a sign-in works under the server's own name without ALLOWED_ORIGINS", async () => {
  await using endpoint = await openEndpoint({
    allowedHosts: ["cellar.example"],
  });
  const post = (headers: Record<string, string>) =>
    endpoint.fetch("/sign_in", {
      method: "POST",
      headers: { "content-type": FORM, host: "cellar.example", ...headers },
      body: `key=${API_KEY}`,
    });
  const viaTls = await post({ origin: "https://cellar.example" });
  equal(viaTls.status, 303);
  const foreignHost = await endpoint.fetch("/sign_in", {
    headers: { host: "evil.example" },
  });
  equal(foreignHost.status, 403);
  await foreignHost.body?.cancel();
  // What is not a page stays closed to it.
  const api = await endpoint.fetch("/mcp", {
    method: "POST",
    headers: { host: "cellar.example", origin: "https://cellar.example" },
  });
  equal(api.status, 403);
  await api.body?.cancel();
});

Deno.test("a program reads pages with its key; a session's token gets 403", async () => {
  await using endpoint = await openEndpoint();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  for (const path of PAGES) {
    const status = async (headers: Record<string, string>) => {
      const response = await endpoint.fetch(path, { headers });
      const text = await response.text();
      ok(!text.includes("Sign out"));
      return response.status;
    };
    equal(await status({ "x-api-key": API_KEY }), 200);
    equal(await status({ authorization: `Bearer ${API_KEY}` }), 200);
    equal(await status({ "x-api-key": "wrong" }), 401);
    equal(await status({ authorization: `Bearer ${token}` }), 403);
  }
});

Deno.test("without any API key the form says why nobody can sign in", async () => {
  await using endpoint = await openEndpoint({ apiKeys: [] });
  const { status, text } = await page(endpoint, "/sign_in", "");
  equal(status, 200);
  match(text, /has no API key, so nobody can sign in/);
});

Deno.test("every page forbids scripts, frames and caches; its files are cached for ever", async () => {
  await using endpoint = await openEndpoint();
  const cookie = await signIn(endpoint);
  const paths = [
    "/",
    ...PAGES,
    "/sign_in",
    "/supervisor/agent_root_records?limit=x",
  ];
  for (const path of paths) {
    const response = await endpoint.fetch(path, { headers: { cookie } });
    const { headers } = response;
    await response.body?.cancel();
    deepEqual([
      headers.get("content-security-policy"),
      headers.get("cache-control"),
      headers.get("x-content-type-options"),
      headers.get("referrer-policy"),
    ], [
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "no-store",
      "nosniff",
      "same-origin",
    ], path);
  }
  const { text } = await page(endpoint, "/sign_in", "");
  const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)];
  equal(files.length, 3);
  for (const [, path = ""] of files) {
    const response = await endpoint.fetch(path);
    equal(response.status, 200);
    match(response.headers.get("cache-control") ?? "", /immutable/);
    match(response.headers.get("content-type") ?? "", /css|svg/);
    await response.body?.cancel();
  }
});

Deno.test("records are filtered and paged by links that keep the filter", async () => {
  await using endpoint = await openEndpoint();
  const cookie = await signIn(endpoint);
  const writer = await openWriter(endpoint.test.db);
  for (let n = 0; n < 5; n++) await writer.put(`a&${n}`, { n });
  await writer.put("other", {});
  let path = "/supervisor/agent_root_records?namespace=garden&key=a%26&limit=2";
  const keys: string[] = [];
  for (;;) {
    const { status, text } = await page(endpoint, path, cookie);
    equal(status, 200);
    keys.push(
      ...[...text.matchAll(/<bdi>a&amp;(\d)<\/bdi>/g)].map(([, n]) => n ?? ""),
    );
    const next = /rel="next" href="([^"]+)"/.exec(text)?.[1];
    if (next === undefined) break;
    ok(keys.length < 5, `It goes on after ${keys}`);
    path = next.replaceAll("&amp;", "&");
  }
  deepEqual(keys, ["4", "3", "2", "1", "0"]);
});

Deno.test("a filter that cannot match is refused in the page, and shown as it was", async () => {
  await using endpoint = await openEndpoint();
  const cookie = await signIn(endpoint);
  for (
    const [query, words] of [
      ["namespace=%22%3E%3Cscript%3E", /cannot exist/],
      ["key=k", /needs a namespace/],
      ["namespace=a&key=%00", /No key can match/],
      ["after=x", /not one that a page gave/],
      ["limit=-1", /1 to 100 rows/],
      ["namespace=%E0%A4%A", /cannot exist/],
    ] as const
  ) {
    const { status, text } = await page(
      endpoint,
      `/supervisor/agent_root_records?${query}`,
      cookie,
    );
    equal(status, 400, query);
    match(text, words);
    match(text, /role="alert"/);
    ok(!text.includes("<script"));
  }
});

Deno.test("without a database the browsers say so, and the health page stands", async () => {
  await using endpoint = await openEndpoint({
    store: {
      isEmbedded: false,
      db: () => Promise.reject(new Error("secret of a driver")),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const cookie = await signIn(endpoint);
  for (const path of PAGES.slice(1)) {
    const { status, text } = await page(endpoint, path, cookie);
    equal(status, 503);
    match(text, /Internal error [0-9a-f]{8}/);
    ok(!text.includes("secret"));
  }
  const { status, text } = await page(endpoint, "/health", cookie);
  equal(status, 200);
  match(text, /Root data cannot be read/);
  match(text, /Unavailable/);
  ok(!text.includes("secret"));
});

Deno.test("counters show writes of the window and, compared, what differs", async () => {
  await using endpoint = await openEndpoint();
  const cookie = await signIn(endpoint);
  const writer = await openWriter(endpoint.test.db);
  await writer.put("a", {});
  const path = "/supervisor/agent_root_record_counters";
  const plain = await page(endpoint, path, cookie);
  match(plain.text, /1 of 60/);
  ok(!plain.text.includes("Same"));
  match((await page(endpoint, `${path}?compare=1`, cookie)).text, /Same/);
  await endpoint.test.db.write(
    "update agent_root_record_counters set records_count = 9000",
  );
  const { text } = await page(endpoint, `${path}?compare=1`, cookie);
  match(text, /Differs/);
  match(text, /differ from what is stored: 1 of 1/);
  match(text, /Near<\/span> 90 %/);
});
