import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { MAX_BODY_BYTES, readJsonBody } from "./json_body.ts";
import { WireError } from "./wire_error.ts";

function requestOf(body: BodyInit): Request {
  return new Request("http://localhost/v1/recall", { method: "POST", body });
}

/** Whether a refusal has this status and code. */
function refused(status: number, code: string) {
  return (error: unknown) => {
    ok(error instanceof WireError, String(error));
    deepEqual([error.status, error.code], [status, code]);
    return true;
  };
}

Deno.test("a body that stalls is refused at the limit, and let go", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"a":')),
    cancel() {
      isCancelled = true;
    },
  });
  await rejects(
    readJsonBody(requestOf(body), 50),
    refused(408, "REQUEST_TIMEOUT"),
  );
  equal(isCancelled, true);
});

Deno.test("a body that breaks off is malformed", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => stream.error(new Error("The client is gone")),
  });
  await rejects(readJsonBody(requestOf(body)), refused(400, "INVALID_BODY"));
});

Deno.test("a body without a length is read to its bound and no further", async () => {
  const mib = new Uint8Array(1024 * 1024).fill(0x20);
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      sent += mib.length;
      stream.enqueue(mib);
    },
    cancel() {
      isCancelled = true;
    },
  });
  await rejects(
    readJsonBody(requestOf(body)),
    refused(413, "PAYLOAD_TOO_LARGE"),
  );
  equal(isCancelled, true);
  ok(sent <= MAX_BODY_BYTES + 3 * mib.length);
});

Deno.test("a body that comes in pieces is read whole", async () => {
  const text = new TextEncoder().encode('{"a":"ü\u{1F600}"}');
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const byte of text) stream.enqueue(new Uint8Array([byte]));
      stream.close();
    },
  });
  deepEqual(await readJsonBody(requestOf(body)), { a: "ü\u{1F600}" });
});
