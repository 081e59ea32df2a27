/**
 * `scope`: where memory lives in CortexDB, and what a path means. Asks no
 * server.
 *
 * @module
 */
import { runScopeCommand, SCOPE_USAGE } from "./scope_command.ts";
import { ConfigError } from "../../settings/config.ts";
import { print, printError } from "../../output.ts";
import { type Call, textFlag, type Verb } from "../../verb.ts";

/** The verb. */
export const scope: Verb = {
  summary:
    "Shows where a memory node lives in CortexDB, and what a scope path means.",
  help: SCOPE_USAGE,
  maxWords: 3,
  flags: {
    wire: { type: "string", meaning: "direct or hosted" },
    "scope-root": { type: "string", meaning: "the v3 root" },
    "tenant-root": { type: "boolean", meaning: "v3 below the tenant" },
    "retired-root": { type: "string", meaning: "a root still read" },
    "scope-owner": { type: "string", meaning: "who owns the root" },
    json: { type: "boolean", meaning: "one line of JSON" },
  },
  run(call) {
    const [operation, ...args] = call.words;
    if (operation === undefined) {
      throw new ConfigError([
        "scope needs one of render, parse, prefixes; see scope --help",
      ]);
    }
    const { code, lines } = runScopeCommand({
      operation,
      args,
      json: call.flags.json === true,
      settings: {
        ...setting("wire", textFlag(call, "wire"), "CORTEX_WIRE"),
        ...setting(
          "scopeRoot",
          textFlag(call, "scope-root"),
          "CORTEX_SCOPE_ROOT",
        ),
        ...setting(
          "retiredScopeRoot",
          textFlag(call, "retired-root"),
          "CORTEX_RETIRED_ROOT",
        ),
        ...setting(
          "scopeOwner",
          textFlag(call, "scope-owner"),
          "CORTEX_SCOPE_OWNER",
        ),
        tenantRoot: isTenantRoot(call),
      },
    });
    for (const line of lines) {
      if (code === 2) printError(line);
      else print(line);
    }
    return Promise.resolve(code);
  },
};

function setting(
  name: string,
  flag: string | undefined,
  variable: string,
): Record<string, string> {
  const value = flag ?? Deno.env.get(variable);
  return value === undefined ? {} : { [name]: value };
}

function isTenantRoot(call: Call): boolean {
  const value = Deno.env.get("CORTEX_TENANT_ROOT")?.toLowerCase();
  return call.flags["tenant-root"] === true ||
    ["1", "true", "on", "yes"].includes(value ?? "");
}
