/**
 * Connection entries: what a client's configuration file needs to reach this
 * server.
 *
 * @module
 */
import { type Client, formOf, type Members } from "./clients.ts";
import { bridged, type Connector, ENTRY_NAME } from "./connector.ts";

/** What an entry is to say beside how the server is reached. */
export interface EntryOptions {
  /** Whether tools run without asking, where the entry can say so. */
  readonly isApproved?: boolean;
}

/** The entry as text, ready to be pasted. */
export function entryFor(
  client: Client,
  connector: Connector,
  { name = ENTRY_NAME, ...options }: EntryOptions & {
    /** What the entry is called. */
    readonly name?: string;
  } = {},
): string {
  const entry = entryOf(client, connector, options);
  const { format, servers } = formOf(client);
  switch (format) {
    case "toml":
      return [`[${servers}.${name}]`, ...tomlMembers(entry)].join("\n");
    case "yaml":
      return yamlList(servers, { name, ...entry });
    case "json":
      return JSON.stringify({ [servers]: { [name]: entry } }, null, 2);
  }
}

/** What a client's configuration says of one server. */
export function entryOf(
  client: Client,
  connector: Connector,
  { isApproved = false }: EntryOptions = {},
): Members {
  const { stdio, http, beside, approved } = formOf(client);
  return {
    ...(connector.kind === "stdio"
      ? stdio(connector)
      : http?.(connector) ?? stdio(bridged(connector))),
    ...beside,
    ...(isApproved ? approved : {}),
  };
}

/** Members of a TOML table, a line each. */
export function tomlMembers(table: Members): readonly string[] {
  return Object.entries(table).map(([name, value]) =>
    `${name} = ${tomlValue(value)}`
  );
}

/** Texts, numbers, flags, lists and groups of them: all that an entry holds. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value !== "object" || value === null) return tomlText(value);
  const members = Object.entries(value).map(([name, one]) =>
    `${tomlText(name)} = ${tomlValue(one)}`
  );
  return `{ ${members.join(", ")} }`;
}

/** A JSON string is a basic string of TOML, but for one character. */
function tomlText(value: unknown): string {
  return JSON.stringify(String(value)).replaceAll("\x7f", "\\u007f");
}

/** A list of one group; JSON is YAML, so a member stands in one line. */
function yamlList(name: string, members: Members): string {
  const lines = Object.entries(members).map(([member, value], index) =>
    `${index === 0 ? "  - " : "    "}${member}: ${JSON.stringify(value)}`
  );
  return [`${name}:`, ...lines].join("\n");
}
