import { equal, notEqual } from "node:assert/strict";
import { at, learning } from "../../../tests/support/cortex/engine_worlds.ts";
import { statementOf } from "./same_statement.ts";

function of(text: string, characters = [...text].length): string {
  return statementOf({ item: learning("root", text), text, characters });
}

Deno.test("capitals, blanks, widths and a full stop make no other statement", () => {
  const said = of("The cellar is damp");
  for (
    const same of [
      "the cellar is damp.",
      " The  cellar\nis damp ",
      "The cellar is damp!",
      "Ｔｈｅ cellar is damp…",
    ]
  ) equal(of(same), said, same);
  equal(of("地下室很潮湿。"), of("地下室很潮湿"));
});

Deno.test("other words, another kind and a question make another statement", () => {
  notEqual(of("The cellar is damp"), of("The cellar is dry"));
  notEqual(of("The cellar is damp?"), of("The cellar is damp"));
  const text = "same";
  notEqual(
    of(text),
    statementOf({
      item: { kind: "document", body: text, meta: { node: at("root") } },
      text,
      characters: 4,
    }),
  );
});

Deno.test("cut texts with the same beginning differ by their lengths", () => {
  notEqual(of("beginning", 5_000), of("beginning", 6_000));
  equal(of("beginning", 5_000), of("Beginning", 5_000));
});
