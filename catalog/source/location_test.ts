import { deepEqual, equal, match } from "node:assert/strict";

import {
  describeLocation,
  describeSource,
  locate,
  locateSource,
  type Location,
} from "./location.ts";

function remote(url: string): Location {
  return { kind: "http", url: new URL(url) };
}

function show(location: ReturnType<typeof locate>): string {
  return location.kind === "unreadable"
    ? `! ${location.reason}`
    : describeLocation(location);
}

const FILE: Location = { kind: "file", path: "/cat/air.json" };

Deno.test("locateSource() starts relative paths in the given folder", () => {
  deepEqual(locateSource("sub/roots.json", "/srv"), {
    kind: "file",
    path: "/srv/sub/roots.json",
  });
});

Deno.test("locate() resolves references beside the document", () => {
  const rows: [string, Location, string][] = [
    ["./mcp.json", FILE, "/cat/mcp.json"],
    ["../up.json", FILE, "/up.json"],
    ["/abs.json", FILE, "/abs.json"],
    ["file:///else/r.json", FILE, "/else/r.json"],
    ["C:\\x.json", FILE, "/cat/C:\\x.json"],
    ["https://h/r.json", FILE, "https://h/r.json"],
    ["./mcp.json", remote("https://h/c/air.json"), "https://h/c/mcp.json"],
    ["/abs.json", remote("https://h/c/air.json"), "https://h/abs.json"],
  ];
  for (const [reference, from, expected] of rows) {
    equal(show(locate(reference, from)), expected);
  }
});

Deno.test("locate() says why other references are not read", () => {
  const rows: [string, Location, RegExp][] = [
    ["github://me/repo", FILE, /"github:" is not read/],
    ["s3://bucket/x", FILE, /"s3:" is not read/],
    ["data:application/json,{}", FILE, /"data:" is not read/],
    ["", FILE, /empty/],
    ["  ", FILE, /empty/],
    ["a\0b", FILE, /path or URL/],
    ["http://", FILE, /not a URL/],
    ["file://host/x", FILE, /no file of this machine/],
    ["file:///etc/passwd", remote("https://h/a"), /cannot name files/],
  ];
  for (const [reference, from, reason] of rows) {
    match(show(locate(reference, from)), reason, reference);
  }
});

Deno.test("locate() keeps credentials on their own origin only", () => {
  const from = remote("https://u:p@h/c/air.json");
  const same = locate("mcp.json", from);
  equal(same.kind === "http" && same.url.username, "u");
  const other = locate("//other/mcp.json", from);
  equal(other.kind === "http" && other.url.href, "https://other/mcp.json");
});

Deno.test("describeLocation() shows no credential", () => {
  equal(
    show(remote("https://user:pass@h/a.json?token=secret#frag")),
    "https://h/a.json?…",
  );
});

Deno.test("describeSource() shows no credential even of what is no URL", () => {
  equal(describeSource("http://user:pass@[/x?token=t"), "http://[/x?…");
});
