/**
 * A push service and the browser behind it: takes what is sent, checks who
 * signed it (RFC 8292) and decrypts it (RFC 8291), by the platform's own
 * cryptography.
 *
 * @module
 */
import { equal, ok } from "node:assert/strict";

/** A browser. */
export interface TestBrowser extends AsyncDisposable {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** What it was sent, decrypted. */
  readonly received: Record<string, unknown>[];
  /** Statuses that the next messages are answered with. */
  readonly trouble: number[];
}

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;
const CURVE = { name: "ECDH", namedCurve: "P-256" } as const;
const encoder = new TextEncoder();

/** Opens one; messages have to be signed by this key. */
export async function openTestBrowser(
  publicKey: () => Promise<string>,
): Promise<TestBrowser> {
  const pair = await crypto.subtle.generateKey(CURVE, true, ["deriveBits"]);
  const own = new Uint8Array(
    await crypto.subtle.exportKey("raw", pair.publicKey),
  );
  const auth = crypto.getRandomValues(new Uint8Array(16));
  const received: Record<string, unknown>[] = [];
  const trouble: number[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const status = trouble.shift();
      if (status !== undefined) return new Response("", { status });
      await assertSigned(request, await publicKey());
      received.push(
        JSON.parse(await decrypt(body, { secret: pair.privateKey, own, auth })),
      );
      return new Response("", { status: 201 });
    },
  );
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}/send/secret-path`,
    p256dh: own.toBase64(BASE64URL),
    auth: auth.toBase64(BASE64URL),
    received,
    trouble,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function assertSigned(request: Request, publicKey: string) {
  const match = /^vapid t=([^,]+), k=(.+)$/.exec(
    request.headers.get("authorization") ?? "",
  );
  ok(match !== null && Number(request.headers.get("ttl")) > 0);
  const [, token = "", key = ""] = match;
  equal(key, publicKey);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { aud, exp } = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(claims, BASE64URL)),
  );
  equal(aud, new URL(request.url).origin);
  ok(exp > Date.now() / 1_000);
  const imported = await crypto.subtle.importKey(
    "raw",
    Uint8Array.fromBase64(key, BASE64URL),
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"],
  );
  ok(
    await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      imported,
      Uint8Array.fromBase64(signature, BASE64URL),
      encoder.encode(`${head}.${claims}`),
    ),
  );
}

async function decrypt(
  body: Uint8Array<ArrayBuffer>,
  { secret, own, auth }: {
    readonly secret: CryptoKey;
    readonly own: Uint8Array;
    readonly auth: Uint8Array<ArrayBuffer>;
  },
): Promise<string> {
  const salt = body.slice(0, 16);
  const length = body[20] ?? 0;
  const sender = body.slice(21, 21 + length);
  const shared = await crypto.subtle.deriveBits(
    {
      ...CURVE,
      public: await crypto.subtle.importKey("raw", sender, CURVE, false, []),
    },
    secret,
    256,
  );
  const material = await derive(shared, {
    salt: auth,
    info: new Uint8Array([
      ...encoder.encode("WebPush: info\0"),
      ...own,
      ...sender,
    ]),
    bytes: 32,
  });
  const keyOf = (name: string, bytes: number) =>
    derive(material, {
      salt,
      info: encoder.encode(`Content-Encoding: ${name}\0`),
      bytes,
    });
  const key = await crypto.subtle.importKey(
    "raw",
    await keyOf("aes128gcm", 16),
    "AES-GCM",
    false,
    ["decrypt"],
  );
  const plain = new Uint8Array(
    await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: await keyOf("nonce", 12) },
      key,
      body.slice(21 + length),
    ),
  );
  // Behind the text comes a 2, and zeros.
  return new TextDecoder().decode(plain.slice(0, plain.lastIndexOf(2)));
}

async function derive(
  material: ArrayBuffer,
  { salt, info, bytes }: {
    readonly salt: Uint8Array<ArrayBuffer>;
    readonly info: Uint8Array<ArrayBuffer>;
    readonly bytes: number;
  },
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, [
    "deriveBits",
  ]);
  return await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt, info },
    key,
    bytes * 8,
  );
}
