/**
 * Malformed messages from a seed: the same seed makes the same messages.
 *
 * @module
 */

/** Random choices that a seed decides. */
export interface Chance {
  /** From 0 up to, not including, `below`. */
  int(below: number): number;
  /** True once in `times`. */
  oneIn(times: number): boolean;
  /** One of them. */
  pick<T>(from: readonly T[]): T;
}

/** Makes choices from a seed. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const int = (below: number) => next() % below;
  return {
    int,
    oneIn: (times) => int(times) === 0,
    pick<T>(from: readonly T[]): T {
      return from[int(from.length)] as T;
    },
  };
}

/** The seed of this run: `FUZZ_SEED`, or a new one. */
export function seedOfRun(): number {
  const given = Number(Deno.env.get("FUZZ_SEED") ?? NaN);
  return Number.isSafeInteger(given)
    ? given
    : crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "0" },
};

const TOOLS = [
  "list_root_collections",
  "get_root_record",
  "search_root_records",
  "put_root_record",
  "append_root_record",
  "delete_root_record",
  "nope",
];

const METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "server/discover",
  "subscriptions/listen",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "logging/setLevel",
  "resources/read",
  "completion/complete",
  "tasks/get",
  "",
  "__proto__",
  "constructor",
];

/** What a value may wrongly be. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e308,
  9007199254740993,
  "",
  "\u0000",
  "\ud800",
  "’; drop table sessions; --",
  "../../etc/passwd",
  "a".repeat(5_000),
  [],
  [[[]]],
  {},
  JSON.parse('{"__proto__": {"x": 1}}'),
  { constructor: { prototype: {} }, toJSON: "x", length: -1 },
  [null, undefined, {}],
];

/** A whole message of either era. */
export function message(chance: Chance): Record<string, unknown> {
  const isModern = chance.oneIn(3);
  const isCall = chance.oneIn(2);
  const params = isCall
    ? {
      name: chance.pick(TOOLS),
      arguments: {
        collection: chance.pick(["notes", "runs", "free", "Nope!"]),
        ...(chance.oneIn(2) ? { key: `k${chance.int(50)}` } : {}),
        ...(chance.oneIn(2) ? { data: { title: "t", n: chance.int(9) } } : {}),
        ...(chance.oneIn(4) ? { limit: chance.int(300) - 50 } : {}),
        ...(chance.oneIn(4) ? { cursor: "AAAA" } : {}),
      },
    }
    : { protocolVersion: "2025-11-25", capabilities: {}, requestId: 1 };
  return {
    jsonrpc: "2.0",
    ...(chance.oneIn(8) ? {} : {
      id: chance.pick<unknown>([
        1,
        "x",
        -5,
        chance.int(1e9),
        `${chance.int(9)}`,
      ]),
    }),
    method: isCall ? "tools/call" : chance.pick(METHODS),
    params: isModern ? { ...params, _meta: META } : params,
  };
}

/** A message with some of its values replaced, added or taken away. */
export function bend(chance: Chance, value: unknown): unknown {
  const copy = structuredClone(value);
  for (let times = chance.int(3) + 1; times > 0; times--) {
    bendOne(chance, copy as Record<string, unknown>);
  }
  return copy;
}

function bendOne(chance: Chance, from: Record<string, unknown>): void {
  let at = from;
  while (true) {
    const keys = Object.keys(at);
    const key = keys.length === 0 || chance.oneIn(8)
      ? chance.pick(["extra", "__proto__", "constructor", "id", "_meta"])
      : chance.pick(keys);
    const inner = Object.hasOwn(at, key) ? at[key] : undefined;
    if (typeof inner === "object" && inner !== null && !chance.oneIn(3)) {
      at = inner as Record<string, unknown>;
      continue;
    }
    if (chance.oneIn(4)) delete at[key];
    else {
      Object.defineProperty(at, key, {
        value: strange(chance),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    return;
  }
}

function strange(chance: Chance): unknown {
  if (!chance.oneIn(12)) return structuredClone(chance.pick(STRANGE));
  let deep: unknown = 1;
  for (let depth = chance.int(90); depth > 0; depth--) {
    deep = chance.oneIn(2) ? [deep] : { a: deep };
  }
  return deep;
}

const encoder = new TextEncoder();

/** The bytes of a message, mostly spoiled in one way or another. */
export function malformedBytes(chance: Chance): Uint8Array {
  const whole = message(chance);
  const bytes = encoder.encode(
    JSON.stringify(chance.oneIn(3) ? whole : bend(chance, whole)),
  );
  switch (chance.int(12)) {
    case 0: // Truncated.
      return bytes.subarray(0, chance.int(bytes.length));
    case 1: { // Spoiled bytes, most of them no UTF-8.
      for (let times = chance.int(4) + 1; times > 0; times--) {
        bytes[chance.int(bytes.length)] = chance.int(256);
      }
      return bytes;
    }
    case 2: // A batch.
      return encoder.encode(`[${new TextDecoder().decode(bytes)},{}]`);
    case 3: // Two messages in one.
      return new Uint8Array([...bytes, ...bytes]);
    case 4: // Deep, closed or not.
      return encoder.encode(
        chance.pick(["[", '{"a":', '[{"b":[']).repeat(chance.int(3_000)),
      );
    case 5: // Noise.
      return Uint8Array.from(
        { length: chance.int(200) },
        () => chance.int(256),
      );
    case 6: { // A number no double holds, a name twice, an escape too short.
      const spoiled = new TextDecoder().decode(bytes).replace(
        chance.pick(['"2.0"', ":1", "}"]),
        chance.pick([":1e999", '"\\ud800"', ',"id":1,"id":2}', "\\u12", "NaN"]),
      );
      return encoder.encode(spoiled);
    }
    case 7: // Huge, now and then.
      return chance.oneIn(400)
        ? encoder.encode(`{"jsonrpc":"2.0","x":"${"y".repeat(5_000_000)}"}`)
        : bytes;
    default:
      return bytes;
  }
}

/** What no answer may show. */
export const LEAK_REGEXP =
  /\.ts:\d|file:\/\/|node_modules|postgres(ql)?:\/\/|TypeError|RangeError|SyntaxError|is not a function|Cannot read|Internal error|-32603|stack|\bselect\b.*\bfrom\b|relation "/i;
