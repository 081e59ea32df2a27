/**
 * A load generator over keep-alive connections, one request at a time on each:
 * as little as possible of its own between a request and its answer.
 *
 * @module
 */

import { percentile } from "./benchmark.ts";

/** What a run of a load measured. */
export interface Load {
  /** Answers. */
  readonly count: number;
  /** Answers a second. */
  readonly rate: number;
  /** Median, in milliseconds. */
  readonly p50: number;
  /** 99th percentile, in milliseconds. */
  readonly p99: number;
}

/** How much load. */
export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** What the body of every answer must hold. */
  readonly expect: string;
}

/** A connection that is kept open. */
export interface Connection extends Disposable {
  /** Sends a request and waits for its answer, as it came. */
  exchange(request: Uint8Array): Promise<string>;
}

/** Opens a connection. */
export async function openConnection(port: number): Promise<Connection> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(64 * 1024);
  return {
    async exchange(request) {
      for (let at = 0; at < request.length;) {
        at += await connection.write(request.subarray(at));
      }
      return await readAnswer(connection, buffer);
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** Sends the same bytes over and over, at least once on each connection. */
export async function applyLoad(
  port: number,
  request: Uint8Array,
  { connections, seconds, expect }: LoadOptions,
): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, async () => {
    using connection = await openConnection(port);
    let isFirst = true;
    let sent = performance.now();
    do {
      const answer = await connection.exchange(request);
      const now = performance.now();
      times.push(now - sent);
      sent = now;
      if (isFirst && !answer.includes(expect)) {
        throw new Error(`Unexpected answer: ${answer}`);
      }
      isFirst = false;
    } while (sent < end);
  }));
  const took = performance.now() - began;
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    rate: times.length / took * 1000,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

/** A POST of JSON as it goes over the wire. */
export function postBytes(
  port: number,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Uint8Array {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Content-Length": String(new TextEncoder().encode(text).length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new TextEncoder().encode(
    `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`,
  );
}

const decoder = new TextDecoder("latin1");
const LENGTH_REGEXP = /\r\ncontent-length: (\d+)/i;

async function readAnswer(
  connection: Deno.Conn,
  buffer: Uint8Array,
): Promise<string> {
  let text = "";
  while (true) {
    const read = await connection.read(buffer);
    if (read === null) throw new Error(`The server hung up after: ${text}`);
    text += decoder.decode(buffer.subarray(0, read));
    const head = text.indexOf("\r\n\r\n");
    if (head < 0) continue;
    const length = LENGTH_REGEXP.exec(text)?.[1];
    const isWhole = length === undefined
      ? text.endsWith("0\r\n\r\n") // A chunked answer, as streams are.
      : text.length >= head + 4 + Number(length);
    if (isWhole) return text;
  }
}
