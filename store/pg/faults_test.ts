/** What each fault means for the statement, and for its connection. */
import { equal, ok } from "node:assert/strict";
import { breaksConnection, HUNG, toUnavailable } from "./faults.ts";

const CODES: Readonly<Record<string, readonly string[]>> = {
  unreachable: [
    "ECONNREFUSED",
    "ENOENT",
    "ENOTFOUND",
    "CONNECT_TIMEOUT",
    "57P03",
    "57P01",
  ],
  outcome_unknown: [
    "CONNECTION_CLOSED",
    "CONNECTION_ENDED",
    "CONNECTION_DESTROYED",
    "ECONNRESET",
    "EPIPE",
    "57P02",
    "08006",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
  ],
  timeout: ["57014", "55P03", "40P01", "40001"],
  rejected: ["28000", "28P01", "3D000", "53300", "42501"],
  failed: ["53100", "53200", "42P01", "23503", "XX000", "EACCES", "", "57P0"],
};

/** Faults after which a connection serves nobody. */
const BREAKING = [
  ...(CODES.outcome_unknown ?? []).filter((code) =>
    !/^E.*(OUT|ACH)$/.test(code)
  ),
  "57P01",
];

for (const [meaning, codes] of Object.entries(CODES)) {
  Deno.test(`faults that are ${meaning}`, () => {
    for (const code of codes) {
      equal(toUnavailable({ code }).code, meaning, code);
    }
  });
}

Deno.test("only faults that end a connection are said to", () => {
  for (const code of Object.values(CODES).flat()) {
    equal(breaksConnection({ code }), BREAKING.includes(code), code);
  }
});

Deno.test("a server that hangs leaves the outcome open and breaks its connection", () => {
  equal(toUnavailable(HUNG).code, "outcome_unknown");
  ok(breaksConnection(HUNG));
});

Deno.test("what is no fault of a driver has failed, and breaks nothing", () => {
  for (const odd of [undefined, null, "57P01", 7, {}, { code: 57 }]) {
    equal(toUnavailable(odd).code, "failed");
    ok(!breaksConnection(odd));
  }
});

Deno.test("what is an error of the store's already stays as it is", () => {
  const error = toUnavailable({ code: "57014" });
  equal(toUnavailable(error), error);
  equal(error.sqlState, "57014");
});

Deno.test("a code of the machine is no SQLSTATE, however long it is", () => {
  for (const code of ["EPIPE", "EPERM", "EMFILE", "ECONNRESET"]) {
    const { message, sqlState } = toUnavailable({ code });
    equal(sqlState, undefined, code);
    ok(!message.includes(code), message);
  }
  for (const code of ["57014", "P0001", "XX000", "HV00A", "F0000"]) {
    equal(toUnavailable({ code }).sqlState, code);
  }
});
