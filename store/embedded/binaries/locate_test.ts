import { match, rejects } from "node:assert/strict";
import { locateBinaries } from "./locate.ts";

Deno.test("locateBinaries() finds the binaries of this platform", async () => {
  match((await locateBinaries()).major, /^\d+$/);
});

Deno.test("locateBinaries() names DATABASE_URL for a platform without package", async () => {
  await rejects(locateBinaries("plan9-x64"), {
    code: "unsupported_platform",
    message: /plan9-x64.*DATABASE_URL/,
  });
});
