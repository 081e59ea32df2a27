import { deepEqual, equal, match, throws } from "node:assert/strict";
import { serializeData } from "./data.ts";
import { StoreRefusalError } from "../errors.ts";
import { MAX_DATA_BYTES } from "./limits.ts";
import { MAX_DATA_DEPTH } from "../pg/storable.ts";

function refusalOf(data: unknown): StoreRefusalError {
  try {
    serializeData(data);
  } catch (error) {
    if (error instanceof StoreRefusalError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

Deno.test("[case 33] 32768 bytes of compact JSON are accepted, 32769 refused", () => {
  const overhead = JSON.stringify({ a: "" }).length;
  const fits = { a: "x".repeat(MAX_DATA_BYTES - overhead) };
  equal(serializeData(fits).bytes, MAX_DATA_BYTES);
  const error = refusalOf({ a: "x".repeat(MAX_DATA_BYTES - overhead + 1) });
  equal(error.code, "data_too_large");
  match(error.message, /32769 bytes.*32768/);
});

Deno.test("[case 33] multi-byte text counts in bytes, not characters", () => {
  equal(
    serializeData({ a: "😀é" }).bytes,
    JSON.stringify({ a: "" }).length + 6,
  );
  equal(refusalOf({ a: "é".repeat(16_381) }).code, "data_too_large");
});

Deno.test.each([["an array", []], ["null", null], ["a string", "x"], [
  "a number",
  7,
]])("[case 35] data that is %s is refused", (name, value) => {
  const error = refusalOf(value);
  equal(error.code, "bad_argument");
  match(error.message, new RegExp(String(name)));
});

Deno.test("[case 48] NUL is refused with its path", () => {
  const error = refusalOf({ a: [{ "b/c": "x\u0000" }] });
  equal(error.code, "unstorable_data");
  match(error.message, /at \/a\/0\/b~1c .*NUL/);
});

Deno.test("[case 48] half a surrogate pair is refused, also in a key", () => {
  match(refusalOf({ a: "\ud800" }).message, /at \/a .*surrogate/);
  match(refusalOf({ "\udc00": 1 }).message, /a key with half of a surrogate/);
});

Deno.test("integers beyond 2^53 and infinite numbers are refused with their path", () => {
  match(
    refusalOf(JSON.parse('{"n":[9007199254740993]}')).message,
    /\/n\/0 .*2\^53/,
  );
  match(
    refusalOf(JSON.parse('{"n":1e400}')).message,
    /\/n .*range of a double/,
  );
  equal(
    serializeData({ n: Number.MAX_SAFE_INTEGER, f: 0.1 }).json,
    '{"n":9007199254740991,"f":0.1}',
  );
});

Deno.test("data nested to the limit is accepted, one level more refused", () => {
  equal(serializeData(nested(MAX_DATA_DEPTH)).bytes > 0, true);
  match(refusalOf(nested(MAX_DATA_DEPTH + 1)).message, /deeper than 32 levels/);
});

Deno.test("nesting of 100,000 levels is refused, not a stack overflow", () => {
  equal(refusalOf(nested(5_000)).code, "unstorable_data");
  equal(refusalOf(nested(100_000)).code, "data_too_large");
});

/** A value that counts how often its members are asked for. */
function counted(value: object): { seen: () => number; proxy: object } {
  let lists = 0;
  const proxy = new Proxy(value, {
    ownKeys(target) {
      lists++;
      return Reflect.ownKeys(target);
    },
  });
  return { seen: () => lists, proxy };
}

Deno.test("[case 69] data beyond its size is refused before anything walks it", () => {
  const inner = counted({ a: "x".repeat(4 * 1024 * 1024), b: "\u0000" });
  equal(refusalOf({ inner: inner.proxy }).code, "data_too_large");
  equal(inner.seen(), 1, "Serialized once, and not walked");
  const small = counted({ a: "\u0000" });
  equal(refusalOf({ inner: small.proxy }).code, "unstorable_data");
  equal(small.seen(), 2);
});

Deno.test("nesting is refused in words that read well", () => {
  match(
    refusalOf(nested(MAX_DATA_DEPTH + 1)).message,
    /^Cannot use data: at \/a(\/a)* it is nested deeper than 32 levels/,
  );
});

Deno.test("keys such as __proto__ and constructor are plain data", () => {
  const text = '{"__proto__":{"a":1},"constructor":{"prototype":2}}';
  equal(serializeData(JSON.parse(text)).json, text);
  deepEqual(({} as Record<string, unknown>).a, undefined);
  throws(() => serializeData(JSON.parse('{"__proto__":{"a":"\\u0000"}}')));
});
