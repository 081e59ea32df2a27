import { deepEqual, equal, match, throws } from "node:assert/strict";
import { allNodes } from "../../tests/support/cortex/scope_cases.ts";
import { ScopeSyntaxError } from "../errors.ts";
import {
  compareNodes,
  isWithin,
  lineage,
  NODE_TYPES,
  parseNode,
  toNodeId,
} from "./node.ts";
import { ROOT_NODE } from "../words.ts";

/** The fault of a text that `parseNode` refuses. */
function faultOf(text: string): { offset: number; reason: string } {
  try {
    parseNode(text);
  } catch (error) {
    if (error instanceof ScopeSyntaxError && error.input === text) {
      return { offset: error.offset, reason: error.reason };
    }
    throw error;
  }
  throw new Error(`Read as a node: ${JSON.stringify(text)}`);
}

Deno.test("parseNode() reads every type, and the root node's spellings", () => {
  for (const type of NODE_TYPES) {
    equal(parseNode(`${type}:A_z-9`), `${type}:A_z-9`);
  }
  for (const text of ["", "root", " \t\n", "  root "]) {
    equal(parseNode(text), ROOT_NODE);
  }
  equal(parseNode("\n ws:main/agent:a\t"), "ws:main/agent:a");
});

Deno.test("parseNode() says what is wrong and where", () => {
  const long = "x".repeat(129);
  const table: [text: string, offset: number, reason: RegExp][] = [
    ["agent", 0, /"agent" has no ":"/],
    ["ws:m/agent/ws:n", 5, /"agent" has no ":"/],
    ["agent:", 6, /id is empty/],
    [":x", 0, /"" is no node type; types: agent team user ws project source/],
    ["ws:m/robot:x", 5, /"robot" is no node type/],
    ["Agent:a", 0, /"Agent" is no node type/],
    ["org:42", 0, /"org" is no node type/],
    ["app:brain", 0, /"app" is no node type/],
    ["agent:a.b", 7, /id holds "\."; allowed: A-Z a-z 0-9 _ -/],
    ["agent:a:b", 7, /id holds ":"/],
    ["agent:a\0", 7, /id holds "\\u0000"/],
    ["agent:a b", 7, /id holds " "/],
    ["agent:\u{1f600}", 6, /id holds "\\ud83d\\ude00"/],
    ["аgent:a", 0, /"\\u0430gent" is no node type/],
    ["ws\uff1am", 0, /has no ":"/],
    ["ws:m\u2215agent:a", 4, /id holds "\\u2215"/],
    ["  agent:a.b", 9, /id holds "\."/],
    [`agent:${long}`, 134, /id has 129 characters, the most is 128/],
    ["/agent:a", 0, /segment is empty/],
    ["agent:a/", 8, /segment is empty/],
    ["agent:a//ws:m", 8, /segment is empty/],
    ["root/agent:a", 0, /"root" has no ":"/],
    ["ws:m/root", 5, /"root" has no ":"/],
    [Array(9).fill("ws:m").join("/"), 40, /at most 8 segments/],
  ];
  for (const [text, offset, reason] of table) {
    const fault = faultOf(text);
    equal(fault.offset, offset, text);
    match(fault.reason, reason);
  }
});

Deno.test("parseNode() reads 8 segments of 128 characters", () => {
  const text = Array(8).fill(`service:${"x".repeat(128)}`).join("/");
  equal(parseNode(text), text);
  throws(() => parseNode(`${text}/ws:m`), ScopeSyntaxError);
});

Deno.test("isWithin() compares whole segments and case", () => {
  const table: [node: string, top: string, within: boolean][] = [
    ["ws:main", "root", true],
    ["root", "root", true],
    ["ws:main", "ws:main", true],
    ["ws:main/agent:a", "ws:main", true],
    ["ws:main", "ws:ma", false],
    ["ws:main", "ws:main/agent:a", false],
    ["root", "ws:main", false],
    ["ws:Main", "ws:main", false],
  ];
  for (const [node, top, within] of table) {
    equal(isWithin(parseNode(node), parseNode(top)), within, `${node} ${top}`);
  }
});

Deno.test("lineage() goes from the root node to the node", () => {
  deepEqual(lineage(ROOT_NODE), ["root"]);
  deepEqual(lineage(parseNode("ws:a/agent:b/user:c")), [
    "root",
    "ws:a",
    "ws:a/agent:b",
    "ws:a/agent:b/user:c",
  ]);
});

Deno.test("compareNodes() sorts by segment, a segment by type, then id", () => {
  const sorted = [
    "root",
    "agent:a",
    "agent:a/ws:m",
    "agent:b",
    "team:a",
    "user:1",
    "ws:B",
    "ws:a",
    "ws:a/agent:z",
    "ws:a-b",
    "project:a",
    "source:a",
    "service:a",
  ].map(parseNode);
  deepEqual(sorted.toReversed().toSorted(compareNodes), sorted);
});

Deno.test("compareNodes() is a total order that keeps a node above its own", () => {
  const nodes = allNodes(2);
  for (const a of nodes) {
    for (const b of nodes) {
      const order = Math.sign(compareNodes(a, b));
      // Not -0: `===` takes both zeros for one.
      equal(order === -Math.sign(compareNodes(b, a)), true);
      equal(order === 0, a === b);
      if (a !== b && isWithin(b, a)) equal(order, -1);
    }
  }
});

Deno.test("toNodeId() keeps a legal id and marks every other", () => {
  const legal = ["a", "A_b-9", "x".repeat(128)];
  for (const id of legal) equal(toNodeId(id), id);
  const table: [hostId: string, id: string][] = [
    ["", "_"],
    ["foobar!", `foobar--${fnv("foobar!")}`],
    ["a.b", `a-b-${fnv("a.b")}`],
    ["é", `--${fnv("é")}`],
    ["\u{1f600}", `--${fnv("\u{1f600}")}`],
    ["x".repeat(129), `${"x".repeat(119)}-${fnv("x".repeat(129))}`],
    [
      "\u{1f600}".repeat(200),
      `${"-".repeat(119)}-${fnv("\u{1f600}".repeat(200))}`,
    ],
    ["/".repeat(500), `${"-".repeat(119)}-${fnv("/".repeat(500))}`],
  ];
  for (const [hostId, id] of table) {
    equal(toNodeId(hostId), id);
    equal(parseNode(`agent:${id}`), `agent:${id}`);
  }
  equal(toNodeId("a.b") === toNodeId("a:b"), false);
});

Deno.test("toNodeId() digests with 32-bit FNV-1a", () => {
  equal(fnv("foobar"), "bf9cf968"); // A published value: the helper is right.
  equal(toNodeId("."), "--2b0c98f1");
});

/** FNV-1a the slow way: exact integers, no wrapping multiplication. */
function fnv(text: string): string {
  let hash = 2166136261n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  }
  return hash.toString(16).padStart(8, "0");
}
