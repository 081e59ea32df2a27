/**
 * The kinds of values that settings have: how each is read, written, and what
 * holds without it.
 *
 * @module
 */
import { resolve } from "node:path";
import { BUILT_IN_SOURCE } from "../../catalog/mod.ts";
import { parseAddress } from "../../store/pg/mod.ts";
import { hostName } from "./hosts.ts";
import type { Parsed, Source, ValueKind } from "./setting.ts";

/** A scheme in front; one letter is a drive. */
const URL_REGEXP = /^[a-z][a-z0-9+.-]+:/i;

const NAME_REGEXP = /^[a-z][a-z0-9_]{0,99}$/;

/** Any text; undefined when unset. */
export function text(standard: string): ValueKind<string | undefined> {
  return {
    standard,
    unset: () => undefined,
    parse: taken,
    write: (value) => value ?? "",
  };
}

/** Any text, with a standard one. */
export function textOr(standard: string): ValueKind<string> {
  return {
    standard,
    unset: () => standard,
    parse: taken,
    write: (value) => value,
  };
}

/** A name of small letters, digits and underscores, with a standard one. */
export function name(standard: string): ValueKind<string> {
  return {
    standard,
    unset: () => standard,
    parse(text, setting) {
      return NAME_REGEXP.test(text) ? taken(text) : refused(
        `${setting} must be small letters, digits and underscores, a letter first, at most 100: it is ${
          shown(text)
        }`,
      );
    },
    write: (value) => value,
  };
}

/** A path, absolute from then on. */
export function path(
  standard: string,
  unset: (source: Source) => string,
): ValueKind<string> {
  return {
    standard,
    unset,
    parse: (text, _name, toPath = resolve) => taken(toPath(text)),
    write: (value) => value,
  };
}

/** A path, absolute from then on, or none. */
export function pathOrNone(standard: string): ValueKind<string | undefined> {
  return {
    ...text(standard),
    parse: (text, _name, toPath = resolve) => taken(toPath(text)),
  };
}

/** A URL, or a path, absolute from then on. */
export function pathOrUrl(standard: string): ValueKind<string | undefined> {
  return {
    ...text(standard),
    parse: (text, _name, toPath = resolve) =>
      taken(isNoPath(text) ? text : toPath(text)),
    write: (value = "") => isNoPath(value) ? value : resolve(value),
  };
}

/** A URL, or the word for what comes with the program. */
function isNoPath(text: string): boolean {
  return URL_REGEXP.test(text) || text === BUILT_IN_SOURCE;
}

/** A whole number within limits. */
export function whole(
  standard: number,
  from: number,
  to: number,
): ValueKind<number> {
  return {
    standard: String(standard),
    unset: () => standard,
    parse(text, name) {
      const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
      return value >= from && value <= to ? taken(value) : refused(
        `${name} must be a whole number from ${from} to ${to}: it is ${
          shown(text)
        }`,
      );
    },
    write: String,
  };
}

/** A switch, off when unset. */
export function onOff(): ValueKind<boolean> {
  return {
    standard: "off",
    unset: () => false,
    parse(text, name) {
      const word = text.toLowerCase();
      if (["on", "true", "1", "yes"].includes(word)) return taken(true);
      if (["off", "false", "0", "no"].includes(word)) return taken(false);
      return refused(`${name} must be on or off: it is ${shown(word)}`);
    },
    write: (value) => value ? "on" : "off",
  };
}

/** One of some words, in any case; undefined when unset. */
export function oneOf<W extends string>(
  standard: string,
  words: readonly W[],
): ValueKind<W | undefined> {
  return {
    standard,
    unset: () => undefined,
    parse(text, name) {
      const word = words.find((one) => one === text.toLowerCase());
      return word !== undefined ? taken(word) : refused(
        `${name} must be one of ${words.join(", ")}: it is ${shown(text)}`,
      );
    },
    write: (value) => value ?? "",
  };
}

/** Host names, a comma list; `standards` when unset. */
export function hosts<U extends readonly string[] | undefined>(
  standard: string,
  standards: U,
): ValueKind<U | readonly string[]> {
  return {
    standard,
    unset: () => standards,
    parse: (text) => taken(listOf(text).map(hostName)),
    write: (value) => (value ?? []).join(","),
  };
}

/** How tokens begin, and whose they are. */
const TOKEN_KINDS = [
  ["rcs_", "sessions"],
  ["rct_", "turns"],
  ["rcn_", "runners"],
  ["rcu_", "people"],
] as const;

/** Keys as a header can carry them, and none that reads like a token. */
export function headerKeys(standard: string): ValueKind<readonly string[]> {
  return {
    standard,
    unset: () => [],
    parse(text, name) {
      const keys = listOf(text);
      const problems = keys.flatMap((key, at) =>
        !/^[\x21-\x7e]+$/.test(key)
          ? [
            `${name}: key ${
              at + 1
            } holds a blank or a character beyond ASCII, which no header carries`,
          ]
          : TOKEN_KINDS.filter(([mark]) => key.startsWith(mark)).map((
            [mark, kind],
          ) =>
            `${name}: key ${
              at + 1
            } begins with ${mark}, which marks tokens of ${kind}`
          )
      );
      return problems.length === 0 ? taken(keys) : refused(...problems);
    },
    write: (value) => value.join(","),
  };
}

/** Names and what they stand for: `old=new,older=new`. */
export function aliases(): ValueKind<Readonly<Record<string, string>>> {
  return {
    standard: "none",
    unset: () => ({}),
    parse: parseAliases,
    write: (value) =>
      Object.entries(value).map(([from, to]) => `${from}=${to}`).join(","),
  };
}

function parseAliases(
  text: string,
  name: string,
): Parsed<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const pair of listOf(text)) {
    const [from, to, ...rest] = pair.split("=").map((part) => part.trim());
    if (!from || !to || rest.length > 0) {
      problems.push(`${name} must read old=new,older=new: "${pair}" does not`);
    } else if (Object.hasOwn(found, from) && found[from] !== to) {
      problems.push(
        `${name} gives "${from}" two meanings: "${found[from]}" and "${to}"`,
      );
    } else found[from] = to;
  }
  return problems.length === 0 ? taken(found) : refused(...problems);
}

/** The address of a PostgreSQL. */
export function postgresUrl(standard: string): ValueKind<string | undefined> {
  return {
    ...text(standard),
    parse(text, name) {
      const reading = parseAddress(text);
      return reading.ok
        ? taken(text)
        : refused(...reading.problems.map((problem) => `${name} ${problem}`));
    },
  };
}

function listOf(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim())
    .filter((part) => part !== "");
}

/** A wrong value in a message; not for what may be a secret. */
function shown(text: string): string {
  return `"${text.slice(0, 40)}"`;
}

function taken<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

function refused(...problems: readonly string[]): Parsed<never> {
  return { ok: false, problems };
}

/** A program with its arguments, as a JSON list. */
export function argv(
  standard: string,
): ValueKind<readonly string[] | undefined> {
  return {
    standard,
    unset: () => undefined,
    parse(text, name) {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        value = undefined;
      }
      const isList = Array.isArray(value) && value.length > 0 &&
        value.every((one) => typeof one === "string") && value[0] !== "";
      return isList ? { ok: true, value: value as string[] } : {
        ok: false,
        problems: [
          `${name} must be a JSON list of program and arguments, like ["/usr/bin/my-agent", "--quiet"]`,
        ],
      };
    },
    write: (value) => JSON.stringify(value),
  };
}

/** Names of variables, separated by commas. */
export function names(standard: string): ValueKind<readonly string[]> {
  return {
    standard,
    unset: () => [],
    parse(text, name) {
      const list = text.split(",").map((one) => one.trim()).filter(Boolean);
      const wrong = list.filter((one) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(one));
      return wrong.length === 0 ? { ok: true, value: list } : {
        ok: false,
        problems: [`${name} holds what is no name of a variable`],
      };
    },
    write: (value) => value.join(","),
  };
}
