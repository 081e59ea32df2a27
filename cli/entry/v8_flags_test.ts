import { deepEqual, ok } from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { programArguments } from "./start_command.ts";
import { v8Flags } from "./v8_flags.ts";

Deno.test("stdio alone is started to be small, by entries and by its task alike", () => {
  const [flag = ""] = v8Flags(["stdio", "--root", "gardener"]);
  ok(programArguments("/x/main.ts", ["stdio"]).includes(flag));
  ok(config.tasks.stdio.command.includes(` ${flag} `));
  for (const words of [[], ["start"], ["serve", "stdio"]]) {
    deepEqual(v8Flags(words), []);
  }
});
