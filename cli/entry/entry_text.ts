/**
 * Puts an entry into the text of a client's configuration: only the entry
 * changes, and of the entry only how the server is reached. Comments and layout
 * stay. What the result says is compared with what it should say.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Connector } from "../../mcp/mod.ts";

/** Values by name, as both formats have them. */
export type Values = Readonly<Record<string, unknown>>;

/** Where an entry goes, and what it says. */
export interface Place {
  /** The member that holds all servers. */
  readonly servers: string;
  /** Name of the entry among them. */
  readonly name: string;
  /** What we say about how the server is reached. */
  readonly entry: Values;
}

/** A change of a text: from what it says to what it is to say. */
export interface Change extends Place {
  readonly before: string;
  /** What of an entry that is there goes. */
  readonly outdated: readonly string[];
  readonly wanted: Values;
  readonly eol: "\n" | "\r\n";
}

/** A format of configuration files. */
export interface TextForm {
  /** The member that holds all servers. */
  readonly servers: string;
  /** What a text says. @throws Says why it says nothing. */
  parse(text: string): Values;
  /** Texts that may say what is wanted, the best first. */
  drafts(change: Change): Iterable<string>;
}

/** The text with the entry, or why there is none. */
export type Merged =
  | {
    readonly ok: true;
    readonly text: string;
    readonly isReplaced: boolean;
  }
  | { readonly ok: false; readonly reason: string };

/** Members that say how a server is reached, over either transport. */
const REACH: readonly string[] = [
  "type",
  "command",
  "args",
  "env",
  "environment",
  "url",
  "httpUrl",
  "headers",
  "requestOptions",
  "headersHelper",
  "http_headers",
  "bearer_token_env_var",
];

/** Members that clients refuse, or mistake, beside the other transport. */
const REACH_BY_KIND: Readonly<Record<Connector["kind"], readonly string[]>> = {
  stdio: ["cwd", "env_vars"],
  http: ["env_http_headers", "oauth"],
};

/** The members of an entry that one over this transport must not keep. */
export function outdatedMembers(entry: Values): readonly string[] {
  const isHttp = "url" in entry || "httpUrl" in entry;
  const other = isHttp ? "stdio" : "http";
  return [...REACH, ...REACH_BY_KIND[other]];
}

/** Merges an entry into a text. Never throws. */
export function mergeEntry(
  text: string,
  form: TextForm,
  { name, entry }: Omit<Place, "servers">,
): Merged {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const before = text.slice(mark.length);
  const { servers } = form;
  try {
    const said = form.parse(before);
    const others = said[servers] ?? {};
    if (!isObject(others)) {
      return refusal(`Its "${servers}" is not a group of servers`);
    }
    const old = Object.hasOwn(others, name) ? others[name] : undefined;
    if (old !== undefined && !isObject(old)) {
      return refusal(`Its "${servers}.${name}" is not a server's entry`);
    }
    const outdated = outdatedMembers(entry);
    const kept = Object.fromEntries(
      Object.entries(old ?? {})
        .filter(([member]) => !outdated.includes(member)),
    );
    // What our user set of what we merely advise stays, too.
    const own = Object.fromEntries(
      Object.entries(entry).filter(([member]) => !Object.hasOwn(kept, member)),
    );
    const wanted = {
      ...said,
      [servers]: { ...others, [name]: { ...own, ...kept } },
    };
    const eol = before.includes("\r\n") ? "\r\n" : "\n";
    const change = {
      before,
      servers,
      name,
      entry: own,
      outdated,
      wanted,
      eol,
    } as const;
    for (const draft of form.drafts(change)) {
      if (says(form, draft, wanted)) {
        return { ok: true, text: mark + draft, isReplaced: old !== undefined };
      }
    }
    return refusal("It cannot be added without changing something else");
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

function says(form: TextForm, text: string, wanted: Values): boolean {
  try {
    return isDeepStrictEqual(plain(form.parse(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** Objects of a parser may have no prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return new Map(
    Object.entries(value).map(([name, one]) => [name, plain(one)]),
  );
}

/** Whether it holds members; dates of TOML are objects, too. */
export function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) && !(value instanceof Date);
}

function refusal(reason: string): Merged {
  return { ok: false, reason };
}
