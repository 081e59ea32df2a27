import { equal, ok } from "node:assert/strict";
import { contexts } from "../../tests/support/cortex/scope_cases.ts";
import { ScopeSyntaxError } from "../errors.ts";
import { readEngineSettings } from "../settings.ts";
import { parseNode, toNodeId } from "./node.ts";
import { parseActor, parseRootPath } from "./scope.ts";
import { runScopeCommand } from "../../cli/verbs/scope/scope_command.ts";

const SIZE = 4_000_000;

/**
 * Quadratic work on these inputs would be 10^12 steps and more, which is hours;
 * linear work is well under a second. Anything between the two will do.
 */
const FAR_TOO_LONG_MS = 60_000;

/** Longer than any message: foreign text is cut at 60 characters. */
const MAX_SHOWN = 1000;

/** `unit`, again and again, up to `SIZE`. */
function fill(unit: string): string {
  return unit.repeat(Math.ceil(SIZE / unit.length));
}

/** Texts that are long in every way that a reader could stumble over, one at a time. */
function* longTexts(root: string): Generator<string> {
  const below = root === "" ? "" : `${root}/`;
  const units = [
    "a",
    "/",
    ":",
    "\0",
    " ",
    "\u{1f600}",
    "ws:m/",
    "a/",
    "app:flows/",
    "app:brain/",
    "app:flows/service:s/",
    "source:x/",
    "org:42/",
    "x" + root,
    "/" + root,
    below,
    root.slice(0, -1) + "/",
  ].filter((unit) => unit !== "");
  for (const unit of units) {
    yield fill(unit);
    yield `${below}${fill(unit)}`;
    yield `${below}ws:${fill(unit)}/app:learnings`;
    yield `${below}${fill(unit)}app:learnings`;
  }
}

Deno.test("parse() answers four megabytes in linear time", () => {
  const began = performance.now();
  for (const { layout } of contexts()) {
    for (const text of longTexts(layout.root)) {
      const reading = layout.parse(text);
      if (reading.ok) equal(text.endsWith(reading.path), true);
      else ok(reading.reason.length < MAX_SHOWN);
    }
  }
  ok(performance.now() - began < FAR_TOO_LONG_MS);
});

Deno.test("parse() reads behind a hosted prefix of any length", () => {
  for (const { label, layout } of contexts()) {
    if (layout.wire === "direct" || layout.root === "") continue;
    const path = layout.render(parseNode("agent:a"), "learning");
    for (const unit of ["org:t/", "a/", "/", `x${layout.root}/`]) {
      const reading = layout.parse(fill(unit) + path);
      ok(reading.ok && reading.path === path, label);
    }
  }
});

Deno.test("parse() answers ten thousand segments", () => {
  for (const { label, layout } of contexts()) {
    for (const one of ["ws:m", "app:flows", "", "org:42", "service:s"]) {
      const path = [layout.root, ...Array(10_000).fill(one), "app:learnings"];
      const reading = layout.parse(path.join("/"));
      // Only a prefix of a hosted root can be that long.
      const own = layout.wire === "hosted" && one !== "" &&
        one === layout.root;
      equal(reading.ok, own, `${label} ${one}`);
    }
  }
});

Deno.test("parse() takes no look-alike and no control character", () => {
  const disguises = [
    "\u043erg:42/app:learnings", // Cyrillic о.
    "org\uff1a42/app:learnings", // Full-width colon.
    "org:42\u2215app:learnings", // Division slash.
    "org:\uff14\uff12/app:learnings", // Full-width digits.
    "org:42/app:\u217cearnings", // Roman numeral fifty.
    "org:42/app:learnings\0",
    "org:42/app:learnings\n",
    "org:42/app:learnings ",
    " org:42/app:learnings",
    "\ufefforg:42/app:learnings",
    "org:42/ws:m\u0301/app:learnings",
    "org:42/ws:\ud800/app:learnings",
    "org:42/ws:m\u200b/app:learnings",
    "org:42/ws:m\r/app:learnings",
    "org:42/ws:m%2Fx/app:learnings",
    "org:42\\app:learnings",
  ];
  for (const { layout } of contexts()) {
    for (const path of disguises) equal(layout.parse(path).ok, false, path);
  }
});

Deno.test("parsers answer four megabytes in linear time", () => {
  const began = performance.now();
  for (const text of longTexts("org:42")) {
    for (const parse of [parseNode, parseRootPath, parseActor]) {
      refusesOrReads(parse, text);
    }
  }
  for (const unit of ["/", "é", "\u{1f600}"]) {
    equal(toNodeId(fill(unit)).length, 128);
  }
  ok(performance.now() - began < FAR_TOO_LONG_MS);
});

Deno.test("runScopeCommand() shows a hostile path in short, printable lines", () => {
  const { layout } = readEngineSettings({ scopeRoot: "org:42" });
  for (const text of longTexts("org:42")) {
    for (const operation of ["parse", "render", "prefixes"]) {
      for (const json of [false, true]) {
        const { lines } = runScopeCommand({
          operation,
          args: [text],
          layout,
          json,
        });
        for (const line of lines) {
          ok(/^[\x20-\x7e]*$/.test(line) && line.length < MAX_SHOWN, line);
        }
      }
    }
  }
});

function refusesOrReads(parse: (text: string) => string, text: string): void {
  try {
    parse(text);
  } catch (error) {
    ok(error instanceof ScopeSyntaxError && error.message.length < MAX_SHOWN);
  }
}
