import { equal, throws } from "node:assert/strict";
import { defaultHome } from "./default_home.ts";

Deno.test("defaultHome() gives each platform's place", async (t) => {
  const cases: [string, number | null, Record<string, string>, string][] = [
    ["linux", 0, { HOME: "/root" }, "/var/lib/rootcellar"],
    ["linux", 7, { HOME: "/h" }, "/h/.local/share/rootcellar"],
    ["linux", 7, { HOME: "/h", XDG_DATA_HOME: "/d" }, "/d/rootcellar"],
    [
      "linux",
      7,
      { HOME: "/h", XDG_DATA_HOME: "relative" },
      "/h/.local/share/rootcellar",
    ],
    [
      "darwin",
      501,
      { HOME: "/Users/a" },
      "/Users/a/Library/Application Support/rootcellar",
    ],
    ["windows", null, { LOCALAPPDATA: "C:\\L" }, "C:\\L\\rootcellar"],
  ];
  for (const [os, uid, env, expected] of cases) {
    await t.step(expected, () => {
      equal(defaultHome((name) => env[name], os, uid), expected);
    });
  }
});

Deno.test("defaultHome() names the variable that is missing", () => {
  throws(() => defaultHome(() => undefined, "linux", 7), /HOME is not set/);
});
