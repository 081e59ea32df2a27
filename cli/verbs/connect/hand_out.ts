/**
 * Hands out an entry: prints it, or puts it into a client's file, and says what
 * its user has to know.
 *
 * @module
 */
import {
  type Client,
  CLIENT_NAMES,
  type Connector,
  ENTRY_NAME,
  entryFor,
  formOf,
  oneLinerFor,
} from "../../../mcp/mod.ts";
import { clientFile } from "../../entry/client_file.ts";
import { print, printError } from "../../output.ts";
import { ConfigError } from "../../settings/config.ts";
import { callerPath } from "../../settings/environment.ts";
import { type Call, type Flag, textFlag } from "../../verb.ts";

/** Flags of the verbs that hand out an entry. */
export const ENTRY_FLAGS: Readonly<Record<string, Flag>> = {
  client: {
    type: "string",
    meaning: `whose configuration: ${
      CLIENT_NAMES.map((name) => `${name} (${formOf(name).title})`).join(", ")
    }; default claude`,
  },
  transport: { type: "string", meaning: "stdio (default) or http" },
  name: {
    type: "string",
    meaning:
      `name of the entry, for more than one in a file; default ${ENTRY_NAME}`,
  },
  write: {
    type: "string",
    meaning: "put the entry into this file, leaving the rest of it as it is",
  },
  install: {
    type: "boolean",
    meaning: "put the entry into the client's own file",
  },
  approve: {
    type: "boolean",
    meaning:
      "let its tools run without asking, where an entry can say so (codex, gemini, qwen)",
  },
};

/** What every client takes, short enough for the names of tools behind it. */
const ENTRY_NAME_REGEXP = /^[a-z0-9][a-z0-9_-]{0,31}$/i;

/** Prints the entry, or puts it into the file of `--write` or `--install`. */
export async function handOut(call: Call, connector: Connector): Promise<void> {
  const client = clientOf(call);
  const name = entryNameOf(call);
  const options = { name, isApproved: call.flags.approve === true };
  const { title, file, notes = [] } = formOf(client);
  const path = entryPathOf(call);
  if (path === undefined) {
    print(entryFor(client, connector, options));
    printError(`For ${title}, in ${file}; --install puts it there`);
    const line = oneLinerFor(client, connector, options);
    if (line !== undefined) printError(`Or: ${line}`);
  } else {
    const { writeEntry } = await import("../../entry/write_entry.ts");
    const outcome = await writeEntry(path, client, connector, options);
    print(
      outcome === "created"
        ? `Wrote ${path} with the entry`
        : outcome === "added"
        ? `Added the entry to ${path}`
        : `Replaced the entry in ${path}`,
    );
  }
  for (const note of notes) printError(note.replaceAll("NAME", name));
}

/** Where the entry goes; undefined where it is printed. @throws {ConfigError} */
export function entryPathOf(call: Call): string | undefined {
  const given = textFlag(call, "write");
  if (call.flags.install !== true) {
    return given === undefined ? undefined : callerPath(given);
  }
  if (given === undefined) return clientFile(clientOf(call));
  throw new ConfigError(["Name --write FILE or --install, not both"]);
}

/** How the client is to reach the server. @throws {ConfigError} Unknown. */
export function transportOf(
  call: Call,
  standard: "stdio" | "http",
): "stdio" | "http" {
  const name = textFlag(call, "transport") ?? standard;
  if (name === "stdio" || name === "http") return name;
  throw new ConfigError([`--transport must be stdio or http: it is "${name}"`]);
}

/** What the entry is called. @throws {ConfigError} Clients would refuse it. */
export function entryNameOf(call: Call): string {
  const name = textFlag(call, "name") ?? ENTRY_NAME;
  if (ENTRY_NAME_REGEXP.test(name)) return name;
  throw new ConfigError([
    `--name must be up to 32 of a-z, A-Z, 0-9, - and _, beginning with a letter or digit: it is "${
      name.slice(0, 40)
    }"`,
  ]);
}

/** Whose entry it is. @throws {ConfigError} Unknown. */
export function clientOf(call: Call): Client {
  const name = textFlag(call, "client") ?? "claude";
  const client = CLIENT_NAMES.find((one) => one === name);
  if (client !== undefined) return client;
  throw new ConfigError([
    `--client must be one of ${CLIENT_NAMES.join(", ")}: it is "${name}"`,
  ]);
}
