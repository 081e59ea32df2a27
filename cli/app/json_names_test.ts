import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { guardJsonNames } from "./json_names.ts";

const plain = JSON.parse;

/** Guards `JSON.parse` until the scope ends. */
function guarded(): Disposable {
  guardJsonNames();
  return {
    [Symbol.dispose]() {
      JSON.parse = plain;
    },
  };
}

Deno.test("a name with a backslash does not change how other names are read", () => {
  using _guard = guarded();
  for (
    const [poison, text, names] of [
      ['{"a":1,"\\\\":2}', '{"a":1,"\\u6f22":2}', ["a", "漢"]],
      ['{"b":1,"\\\\":2}', '{"b":1,"\\n":2}', ["b", "\n"]],
      ['{"c":1,"\\\\u0":2}', '{"c":1,"\\u00e9t\\u00e9":2}', ["c", "été"]],
      ['[{"d":1,"\\\\n":2}]', '{"d":1,"\\n\\n":2}', ["d", "\n\n"]],
    ] as const
  ) {
    JSON.parse(poison);
    deepEqual(Object.keys(JSON.parse(text)), names, poison);
  }
});

Deno.test("a guarded JSON.parse reads every text as it is meant, in any order", () => {
  using _guard = guarded();
  const unit = fc.constantFrom("\\", "\n", '"', "u", "0", "a", "é", "/");
  const name = fc.string({ unit, maxLength: 4 });
  /** One of the ways to spell a text. */
  const spelled = (text: string, isEscaped: boolean) =>
    isEscaped
      ? `"${
        [...text].map((one) =>
          /["\\\n]/.test(one)
            ? JSON.stringify(one).slice(1, -1)
            : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
        ).join("")
      }"`
      : JSON.stringify(text);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, fc.boolean(), name), { maxLength: 4 }),
      (members) => {
        const text = `{"id" : 1${
          members.map(([key, isEscaped, value]) =>
            `,${spelled(key, isEscaped)} :${spelled(value, !isEscaped)}`
          ).join("")
        }}`;
        const meant = Object.fromEntries([
          ["id", 1],
          ...members.map(([key, , value]) => [key, value]),
        ]);
        deepEqual(JSON.parse(text), meant, text);
      },
    ),
    { numRuns: 2_000 },
  );
});

Deno.test("a guarded JSON.parse is otherwise JSON.parse", () => {
  using _guard = guarded();
  deepEqual(
    Object.keys(JSON.parse('{"__proto__":{"\\\\":1},"\\\\\\\\":2}')),
    ["__proto__", "\\\\"],
  );
  deepEqual(JSON.parse('{"path":"C:\\\\temp"}'), { path: "C:\\temp" });
  equal(JSON.parse("null"), null);
  deepEqual(
    JSON.parse(
      '{"\\\\":[1,{"\\\\x":2}]}',
      (key, value) => typeof value === "number" ? `${key}${value}` : value,
    ),
    { "\\": ["01", { "\\x": "\\x2" }] },
  );
  for (
    const broken of ["", "{", '{"\\\\":}', '{"\\\\" 1}', '"\\\\', "{'a':1}"]
  ) {
    throws(() => JSON.parse(broken), SyntaxError, broken);
  }
});
