import { deepEqual, equal, throws } from "node:assert/strict";
import { inputOf } from "../schema.ts";
import { checkArguments } from "./arguments.ts";
import { TOOLS } from "./registry.ts";

const TAKER = {
  name: "taker",
  input: inputOf({
    text: { type: "string" },
    word: { type: "string", enum: ["a", "b"] },
    count: { type: "integer", minimum: 1 },
    share: { type: "number" },
    isOn: { type: "boolean" },
    texts: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "integer" } },
    turns: {
      type: "array",
      items: {
        type: "object",
        properties: { text: { type: "string" }, at: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      },
    },
    data: { type: "object" },
  }),
};
const NEEDY = {
  name: "needy",
  input: inputOf({ text: { type: "string" }, data: { type: "object" } }, [
    "text",
    "data",
  ]),
};

Deno.test("checkArguments() takes what can mean one thing only as that", () => {
  const table: [
    given: Record<string, unknown>,
    read: Record<string, unknown>,
  ][] = [
    [{ text: null, word: null, count: null, isOn: null, data: null }, {}],
    [{ word: "", count: "", share: "", isOn: "", texts: "", data: "" }, {}],
    [{ text: "" }, { text: "" }],
    [{ text: 4521 }, { text: "4521" }],
    [{ text: -0.5 }, { text: "-0.5" }],
    [{ text: "4521" }, { text: "4521" }],
    [{ text: "null" }, { text: "null" }],
    [{ text: "[1]" }, { text: "[1]" }],
    [{ count: "10" }, { count: 10 }],
    [{ count: "10.0" }, { count: 10 }],
    [{ share: "0.25" }, { share: 0.25 }],
    [{ isOn: "true" }, { isOn: true }],
    [{ texts: "one" }, { texts: ["one"] }],
    [{ texts: '["one","two"]' }, { texts: ["one", "two"] }],
    [{ texts: [1, "two"] }, { texts: ["1", "two"] }],
    [{ texts: [] }, { texts: [] }],
    [{ numbers: "[1]" }, { numbers: [1] }],
    [{ turns: [{ text: 7, at: null }] }, { turns: [{ text: "7" }] }],
    [{ data: '{"a":1}' }, { data: { a: 1 } }],
    [
      { data: { a: null, b: "", c: 1, d: "1" } },
      { data: { a: null, b: "", c: 1, d: "1" } },
    ],
  ];
  for (const [given, read] of table) {
    deepEqual(checkArguments(TAKER, given), read, JSON.stringify(given));
  }
});

Deno.test("checkArguments() refuses what can mean several things, or nothing", () => {
  const table: [given: Record<string, unknown>, message: RegExp][] = [
    [{ count: "ten" }, /count must be integer \(this is "ten"\)$/],
    [{ count: 0 }, /count must be >= 1 \(this is 0\)$/],
    [
      { word: "c" },
      /word must be equal to one of the allowed values: a, b \(this is "c"\)$/,
    ],
    [{ word: [] }, /: word must be string \(this is a list of 0\)$/],
    [{ isOn: 1 }, /isOn must be boolean \(this is 1\)$/],
    [{ isOn: "yes" }, /isOn must be boolean/],
    [{ isOn: "y".repeat(90) }, /\(this is "y{79}… \[80 of 92 characters\]\)$/],
    [{ text: true }, /text must be string \(this is true\)$/],
    [{ text: { a: 1 } }, /text must be string \(this is an object\)$/],
    [{ numbers: "1" }, /numbers must be array/],
    [{ data: [] }, /data must be object/],
    [{ turns: [{ at: "x" }] }, /turns\/0 must have required property 'text'/],
    [
      { turns: [{ text: "a", who: "b" }] },
      /turns\/0 must NOT have additional properties: "who" is not among text, at$/,
    ],
    [{ other: 1 }, /Unknown argument "other"; taker takes: text, word/],
    [{ ["x".repeat(300)]: 1 }, /Unknown argument "x{80}… \[80 of 300/],
  ];
  for (const [given, message] of table) {
    throws(() => checkArguments(TAKER, given), { message });
  }
});

Deno.test("checkArguments() says when a required argument came as null or blank", () => {
  throws(() => checkArguments(NEEDY, { text: "a", data: null }), {
    message: "Missing required arguments: data (null counts as left out)",
  });
  throws(() => checkArguments(NEEDY, { text: "a", data: "" }), {
    message: "Missing required arguments: data",
  });
  throws(() => checkArguments(NEEDY, undefined), {
    message: "Missing required arguments: text, data",
  });
});

Deno.test("checkArguments() drops what hosts add, and nothing else", () => {
  const added = {
    wait_for_previous: false,
    toolCallId: "call_1",
    task_progress: "- [ ] step",
    random_string: "x",
  };
  deepEqual(checkArguments(TAKER, { ...added, text: "a" }), { text: "a" });
  throws(() => checkArguments(TAKER, { task_Progress: "x" }), {
    message: /Unknown argument "task_Progress"/,
  });
});

Deno.test("null for an optional argument of any tool is as if it were left out", () => {
  for (const tool of TOOLS) {
    const { properties, required } = tool.input;
    const optional = Object.keys(properties)
      .filter((name) => !required.includes(name));
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    const outcome = (args: unknown) => {
      try {
        return JSON.stringify(checkArguments(tool, args));
      } catch (error) {
        return String(error);
      }
    };
    equal(outcome(nulls), outcome({}), tool.name);
  }
});
