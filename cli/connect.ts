/**
 * `connect`: prints the entry that a client needs.
 *
 * @module
 */
import { findSessionByName, startSession } from "../store/mod.ts";
import { ConfigError } from "./config.ts";
import { httpConnector, stdioConnector } from "./connector.ts";
import { type Client, CLIENTS, type Connector, entryFor } from "./entries.ts";
import { print } from "./output.ts";
import { buildParts } from "./parts.ts";
import { processConfig } from "./read_config.ts";
import { knownGroups, knownRoot } from "./known.ts";
import { type Call, type Flag, textFlag, type Verb } from "./verb.ts";
import { writeEntry } from "./write_entry.ts";

/** Flags of the verbs that hand out an entry. */
export const ENTRY_FLAGS: Readonly<Record<string, Flag>> = {
  client: {
    type: "string",
    meaning: `whose configuration: ${
      Object.entries(CLIENTS).map(([name, what]) => `${name} (${what})`)
        .join("; ")
    }; default claude`,
  },
  transport: { type: "string", meaning: "stdio (default) or http" },
  write: {
    type: "string",
    meaning: "put the entry into this file, leaving the rest of it as it is",
  },
};

/** The verb. */
export const connect: Verb = {
  summary:
    "Prints the entry that a client's configuration needs, or puts it there: for a root (each start is a new session) or for one session.",
  flags: {
    root: { type: "string", meaning: "catalog name of the agent root" },
    session: { type: "string", meaning: "id or slug of a session" },
    ...ENTRY_FLAGS,
    groups: { type: "string", meaning: "tool groups, a comma list" },
  },
  async run(call) {
    const config = processConfig(call);
    const transport = transportOf(call, "stdio");
    clientOf(call);
    const root = textFlag(call, "root");
    const name = textFlag(call, "session");
    const groups = knownGroups(textFlag(call, "groups"));
    if ((root === undefined) === (name === undefined)) {
      throw new ConfigError([
        "connect needs either --root NAME or --session ID",
      ]);
    }
    await using parts = buildParts(config);
    const { services } = parts;
    if (root !== undefined) await knownRoot(services, root);
    if (transport === "stdio") {
      const words = root === undefined
        ? ["--session", String(name)]
        : ["--root", root];
      if (groups !== undefined) words.push("--groups", groups.join(","));
      await handOut(call, stdioConnector(config, words));
      return 0;
    }
    const db = await services.store.db();
    const session = root === undefined
      ? await findSessionByName(db, String(name))
      : undefined;
    if (root === undefined && session === undefined) {
      throw new ConfigError([`Session not found: ${name}`]);
    }
    // The token of an existing session is stored nowhere, so its entry uses an
    // API key; a new session's entry carries its token.
    const started = session === undefined
      ? await startSession(db, {
        agentRootKey: await knownRoot(services, String(root)),
        toolGroups: groups,
      })
      : { session, token: undefined };
    await handOut(
      call,
      await httpConnector(
        config,
        { id: started.session.id, token: started.token },
        groups?.join(","),
      ),
    );
    return 0;
  },
};

/** Prints the entry, or puts it into the file of `--write`. */
export async function handOut(call: Call, connector: Connector): Promise<void> {
  const client = clientOf(call);
  const path = textFlag(call, "write");
  if (path === undefined) return print(entryFor(client, connector));
  const outcome = await writeEntry(path, client, connector);
  print(
    outcome === "created"
      ? `Wrote ${path} with the entry`
      : outcome === "added"
      ? `Added the entry to ${path}`
      : `Replaced the entry in ${path}`,
  );
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

/** Whose entry it is. @throws {ConfigError} Unknown. */
export function clientOf(call: Call): Client {
  const name = textFlag(call, "client") ?? "claude";
  if (Object.hasOwn(CLIENTS, name)) return name as Client;
  throw new ConfigError([
    `--client must be one of ${
      Object.keys(CLIENTS).join(", ")
    }: it is "${name}"`,
  ]);
}
