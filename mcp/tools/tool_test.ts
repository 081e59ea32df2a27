import { deepEqual, equal } from "node:assert/strict";
import { NO_INPUT, objectOf, TEXT } from "../schema.ts";
import { createLog } from "../log.ts";
import type { ToolContext } from "../services.ts";
import { callTool, defineTool, Written } from "./tool.ts";

const FACTS = {
  name: "tell",
  title: "Tell",
  description: "",
  access: "read",
  isDestructive: false,
  isIdempotent: true,
  input: NO_INPUT,
} as const;

// What these tools use of it.
const CONTEXT = {
  services: { log: createLog("error", () => {}) },
} as unknown as ToolContext;

Deno.test("an answer is sent as text and as data; a written one has a text of its own", async () => {
  const output = objectOf({ name: TEXT });
  const plain = defineTool({
    ...FACTS,
    output,
    run: () => Promise.resolve({ name: "a" }),
  });
  deepEqual(await callTool(plain, CONTEXT, {}), {
    content: [{ type: "text", text: '{"name":"a"}' }],
    structuredContent: { name: "a" },
  });
  const written = defineTool({
    ...FACTS,
    output,
    run: () => Promise.resolve(new Written("## A", { name: "a" })),
  });
  deepEqual(await callTool(written, CONTEXT, {}), {
    content: [{ type: "text", text: "## A" }],
    structuredContent: { name: "a" },
  });
  const told = defineTool({ ...FACTS, run: () => Promise.resolve("A") });
  equal((await callTool(told, CONTEXT, {})).structuredContent, undefined);
});
