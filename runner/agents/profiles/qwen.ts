/**
 * Qwen Code.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { readTokens, report, unknownUsage } from "../acp/usage.ts";

/** The profile. */
export const QWEN: Profile = {
  name: "qwen",
  argv: ["qwen", "--acp"],
  package: {
    name: "@qwen-code/qwen-code",
    version: "0.24.4",
    bin: "qwen",
    licence: "Apache-2.0",
    megabytes: 120,
    runsInDeno: false,
    needsScript: false,
  },
  variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
  env: () => ({}),
  files: [{
    path: ".qwen/settings.json",
    text: `${
      JSON.stringify(
        { security: { auth: { selectedType: "openai" } } },
        null,
        2,
      )
    }\n`,
  }],
  authMethod: null,
  // It starts in `auto`, which does not ask.
  askingMode: "default",
  skillsFolder: ".qwen/skills",
  modelBy: "option",
  meta: null,
  expandsVariables: false,
  isOwnTool: ({ request }) =>
    [
      jsonAt(request, "_meta").toolName,
      jsonAt(request, "toolCall", "_meta").toolName,
    ].some((name) => String(name).startsWith("mcp__rootcellar__")),
  // One empty chunk a request tells what it took.
  readUsage: (source) => {
    const rows = source.updates.flatMap((update, n) => {
      const tokens = readTokens(jsonAt(update, "_meta", "usage"), {
        cacheInInput: true,
      });
      return tokens === undefined
        ? []
        : [report(`${source.key}:${n + 1}`, source.model, tokens)];
    });
    return rows.length > 0 ? rows : [unknownUsage(source)];
  },
  readLimits: () => null,
  loginFiles: [".qwen/oauth_creds.json"],
  loginVariables: ["OPENAI_API_KEY"],
};
