import { equal, throws } from "node:assert/strict";
import { path, withQuery } from "./api_path.ts";
import { CortexRefusalError } from "../errors.ts";

Deno.test("path encodes values and leaves its own text alone", () => {
  equal(path`v1/health`, "v1/health");
  equal(path`v1/events/${"a/b?c#d e%2F"}`, "v1/events/a%2Fb%3Fc%23d%20e%252F");
  equal(path`v1/${"ä"}/x/${"/.."}`, "v1/%C3%A4/x/%2F..");
});

Deno.test("path refuses what a URL would drop or garble", () => {
  for (const value of ["", ".", "..", "\ud800"]) {
    throws(() => path`v1/events/${value}`, CortexRefusalError);
  }
});

Deno.test("withQuery() leaves out what is empty and encodes the rest", () => {
  const route = path`v1/scopes/list`;
  equal(withQuery(route, { prefix: "", limit: undefined }), "v1/scopes/list");
  equal(
    withQuery(route, { prefix: "org:a/ws:b&c=d", limit: 5 }),
    "v1/scopes/list?prefix=org%3Aa%2Fws%3Ab%26c%3Dd&limit=5",
  );
});
