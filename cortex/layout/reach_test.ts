import { equal } from "node:assert/strict";
import { parseNode } from "./node.ts";
import { admits, exactly, type Reach, subtree, upFrom } from "./reach.ts";

const WORKSPACE = parseNode("ws:main");
const WORKFLOW = parseNode("ws:main/service:nl");

Deno.test("admits() follows the reach by whole segments", () => {
  const both = { at: WORKSPACE, inherit: true, descendants: true };
  const table: [reach: Reach, node: string, admitted: boolean][] = [
    [exactly(WORKSPACE), "ws:main", true],
    [exactly(WORKSPACE), "root", false],
    [exactly(WORKSPACE), "ws:main/agent:a", false],
    [upFrom(WORKSPACE), "ws:main", true],
    [upFrom(WORKSPACE), "root", true],
    [upFrom(WORKSPACE), "ws:ma", false],
    [upFrom(WORKSPACE), "ws:main/agent:a", false],
    [subtree(WORKSPACE), "ws:main/agent:a/user:b", true],
    [subtree(WORKSPACE), "ws:main2", false],
    [subtree(WORKSPACE), "root", false],
    [both, "root", true],
    [both, "ws:main/agent:a", true],
    [both, "agent:a", false],
    // Left out, `inherit` is on and `descendants` off.
    [{ at: WORKSPACE }, "root", true],
    [{ at: WORKSPACE }, "ws:main/agent:a", false],
  ];
  for (const [reach, node, admitted] of table) {
    const label = `${JSON.stringify(reach)} ${node}`;
    equal(admits(reach, parseNode(node)), admitted, label);
  }
});

Deno.test("admits() enters no sandbox from above", () => {
  const root = parseNode("root");
  const table: [reach: Reach, node: string, admitted: boolean][] = [
    [subtree(root), "service:nl", false],
    [subtree(root), "ws:main/service:nl/agent:a", false],
    [subtree(WORKSPACE), "ws:main/service:nl", false],
    [subtree(WORKSPACE), "ws:main/agent:a/service:nl", false],
    [subtree(WORKFLOW), "ws:main/service:nl", true],
    [subtree(WORKFLOW), "ws:main/service:nl/agent:a", true],
    [subtree(WORKFLOW), "ws:main/service:nl/service:inner", false],
    [exactly(WORKFLOW), "ws:main/service:nl", true],
    // Going up leaves a sandbox, which is allowed.
    [upFrom(parseNode("ws:main/service:nl/agent:a")), "ws:main", true],
    [upFrom(parseNode("ws:main/service:nl/agent:a")), WORKFLOW, true],
  ];
  for (const [reach, node, admitted] of table) {
    const label = `${JSON.stringify(reach)} ${node}`;
    equal(admits(reach, parseNode(node)), admitted, label);
  }
});
