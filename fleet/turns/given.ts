/**
 * What an agent is given beside Rootcellar's own tools: MCP servers, skills and
 * hooks of the catalog, by themselves or by plugins, and in words what it is
 * not given.
 *
 * Specification: docs/spec/runner.md section 6.
 *
 * @module
 */
import type {
  Artifact,
  ArtifactKind,
  CatalogSnapshot,
} from "../../catalog/mod.ts";
import { findSession } from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { hookOrder, textsOf } from "./hook_order.ts";
import { expandPlugins } from "./plugins.ts";
import type {
  ArtifactAnswer,
  HookOrder,
  LeasedTurn,
  McpServerOrder,
  SkillOrder,
} from "./protocol.ts";
import type { Turns } from "./turns.ts";

/** The part of a leased turn that is made here. */
export type Given = Pick<
  LeasedTurn,
  "mcp_servers" | "skills" | "hooks" | "left_out"
>;

/** Nothing. */
export const NOTHING_GIVEN: Given = {
  mcp_servers: [],
  skills: [],
  hooks: [],
  left_out: [],
};

/** Kinds of entries whose files a turn may be given. */
const KINDS_WITH_FILES: readonly ArtifactKind[] = ["skills", "hooks"];

/** What a session's agent is given. */
export async function givenTo(
  { catalog, store, artifacts }: Turns,
  sessionId: number,
): Promise<Given> {
  const session = await findSession(await store.db(), sessionId);
  if (session === undefined) return NOTHING_GIVEN;
  const snapshot = await catalog.current();
  const wanted = await expandPlugins(session, { snapshot, artifacts });
  const leftOut: string[] = [...wanted.leftOut];
  const servers: McpServerOrder[] = [];
  for (const name of wanted.mcpServers) {
    const order = orderOf(name, find(snapshot, "mcp", name));
    if (typeof order !== "string") servers.push(order);
    else leftOut.push(`MCP server "${name}" is left out: ${order}`);
  }
  const skills: SkillOrder[] = [];
  for (const name of wanted.skills) {
    const artifact = find(snapshot, "skills", name);
    const reading = artifact === undefined
      ? { ok: false as const, reason: "the catalog has none of that name" }
      : await artifacts.list(artifact);
    if (reading.ok) skills.push({ name, files: reading.files });
    else leftOut.push(`Skill "${name}" is left out: ${reading.reason}`);
  }
  const hooks: HookOrder[] = [];
  for (const name of wanted.hooks) {
    const order = await hookOrder(find(snapshot, "hooks", name), artifacts);
    if (typeof order !== "string") hooks.push(order);
    else leftOut.push(`Hook "${name}" is not applied: ${order}`);
  }
  return { mcp_servers: servers, skills, hooks, left_out: leftOut };
}

/**
 * The bytes of a file that a turn was given.
 *
 * @throws {FleetRefusalError} Code `not_found`.
 */
export async function readArtifact(
  { catalog, artifacts }: Turns,
  sha256: string,
): Promise<ArtifactAnswer> {
  let bytes = await artifacts.read(sha256);
  if (bytes === undefined) {
    // Another server may have named it, or the file was changed since.
    const snapshot = await catalog.current();
    for (const kind of KINDS_WITH_FILES) {
      const { entries } = snapshot.artifacts(kind);
      for (const artifact of entries.values()) await artifacts.list(artifact);
    }
    bytes = await artifacts.read(sha256);
  }
  if (bytes !== undefined) return { base64: bytes.toBase64() };
  throw new FleetRefusalError(
    "not_found",
    `No skill or hook of the catalog has a file ${
      sha256.slice(0, 64)
    }: it was changed, and the next turn is given what it is now`,
  );
}

function find(
  catalog: CatalogSnapshot,
  kind: ArtifactKind,
  name: string,
): Artifact | undefined {
  return catalog.artifacts(kind).entries.get(name);
}

/** The order of a server, or why no runner can give it to an agent. */
export function orderOf(
  name: string,
  artifact: Artifact | undefined,
): McpServerOrder | string {
  if (artifact === undefined) return "the catalog has none of that name";
  const { entry, source } = artifact;
  if (entry.oauth !== undefined && entry.oauth !== false) {
    return "it needs an OAuth login of a person, which no runner has; give its header a token by ${VAR}";
  }
  const order = {
    name,
    url: null,
    headers: {},
    command: [],
    env: {},
    is_trusted: !/^https?:/.test(source),
  };
  const headers = textsOf(entry.headers);
  const env = textsOf(entry.env);
  switch (entry.type ?? (entry.command === undefined ? "http" : "stdio")) {
    case "http":
    case "streamable-http":
      if (typeof entry.url !== "string") return "its entry names no url";
      return headers === undefined
        ? "its headers are no object of texts"
        : { ...order, type: "http", url: entry.url, headers };
    case "stdio": {
      const { command, args = [] } = entry;
      if (
        typeof command !== "string" || !Array.isArray(args) ||
        !args.every((one) => typeof one === "string")
      ) return "its entry names no command with a list of texts as args";
      return env === undefined
        ? "its env is no object of texts"
        : { ...order, type: "stdio", command: [command, ...args], env };
    }
    default:
      return `its type ${
        JSON.stringify(entry.type)?.slice(0, 100)
      } is none that agents take: http, streamable-http, stdio`;
  }
}
