/**
 * `connect`: prints the entry that a client needs.
 *
 * @module
 */
import { findSessionByName, startSession } from "../store/mod.ts";
import { ConfigError } from "./config.ts";
import { httpConnector, stdioConnector } from "./connector.ts";
import { type Client, CLIENTS, entryFor } from "./entries.ts";
import { print } from "./output.ts";
import { buildParts } from "./parts.ts";
import { processConfig } from "./read_config.ts";
import { knownGroups, knownRoot } from "./session.ts";
import { type Call, textFlag, type Verb } from "./verb.ts";

/** The verb. */
export const connect: Verb = {
  summary:
    "Prints the entry that a client's configuration needs, for a root (each start is a new session) or for one session.",
  flags: {
    root: { type: "string", meaning: "catalog name of the agent root" },
    session: { type: "string", meaning: "id or slug of a session" },
    transport: { type: "string", meaning: "stdio (default) or http" },
    client: {
      type: "string",
      meaning:
        "claude (Claude Code and Pi, .mcp.json; default) or codex (config.toml)",
    },
    groups: { type: "string", meaning: "tool groups, a comma list" },
  },
  async run(call) {
    const config = processConfig(call);
    const client = clientOf(call);
    const transport = textFlag(call, "transport") ?? "stdio";
    const root = textFlag(call, "root");
    const name = textFlag(call, "session");
    const groups = knownGroups(textFlag(call, "groups"));
    if ((root === undefined) === (name === undefined)) {
      throw new ConfigError([
        "connect needs either --root NAME or --session ID",
      ]);
    }
    if (transport !== "stdio" && transport !== "http") {
      throw new ConfigError([
        `--transport must be stdio or http: it is "${transport}"`,
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
      print(entryFor(client, stdioConnector(config, words)));
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
    print(entryFor(
      client,
      await httpConnector(
        config,
        { id: started.session.id, token: started.token },
        groups?.join(","),
      ),
    ));
    return 0;
  },
};

function clientOf(call: Call): Client {
  const name = textFlag(call, "client") ?? "claude";
  const client = CLIENTS.find((one) => one === name);
  if (client !== undefined) return client;
  throw new ConfigError([
    `--client must be one of ${CLIENTS.join(", ")}: it is "${name}"`,
  ]);
}
