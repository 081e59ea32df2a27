import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import {
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../cortex/words.ts";
import { parseNode } from "../cortex/layout/mod.ts";
import { kindOf, toCallerText } from "./errors.ts";
import { createLog } from "./log.ts";

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

const CASES: readonly (readonly [unknown, unknown[], RegExp])[] = [
  [
    thrown(() => parseNode("org:7")),
    ["refused", "memory_bad_node", 422],
    /^Cannot read node "org:7"/,
  ],
  [
    new CortexRefusalError("The query is blank", { reason: "invalid_request" }),
    ["refused", "memory_invalid_request", 422],
    /^The query is blank$/,
  ],
  [
    new CortexRefusalError("Gone", { reason: "not_found", status: 404 }),
    ["refused", "memory_not_found", 404],
    /^Gone$/,
  ],
  [
    new CortexRefusalError("No: denied", { reason: "unauthorized" }),
    ["unavailable", "memory_unusable", 503],
    /CORTEX_API_KEY and CORTEX_ACTOR \(reference [0-9a-f]{8}\)$/,
  ],
  [
    new CortexUnavailableError("Cannot list events: no answer", {
      attempts: 3,
      cause: new Error("driver text"),
    }),
    ["unavailable", "memory_unavailable", 503],
    /no answer\. Try again shortly \(reference [0-9a-f]{8}\)$/,
  ],
  [
    new CortexUnavailableError("Cannot append", {
      attempts: 1,
      isOutcomeUnknown: true,
    }),
    ["unavailable", "memory_unavailable", 503],
    /repeating the same call is safe/,
  ],
  [
    new CortexProtocolError({
      operation: "recall",
      path: "$.secret",
      problem: "is missing",
    }),
    ["unavailable", "memory_unusable", 503],
    /does not understand; the operator finds the reason .* reference/,
  ],
  [
    new CortexConfigError([{ setting: "apiKey", message: "secret" }]),
    ["unavailable", "memory_unusable", 503],
    /as it is configured: the operator/,
  ],
];

Deno.test("every error of memory has a kind, and a text that shows no inside", () => {
  for (const [error, kind, text] of CASES) {
    const logged: string[] = [];
    const log = createLog("debug", (line) => logged.push(line));
    deepEqual(Object.values(kindOf(error)), kind);
    const said = toCallerText(error, log);
    match(said, text);
    doesNotMatch(said, /driver text|secret|denied/);
    equal(logged.length, kind[0] === "refused" ? 0 : 1);
  }
});
