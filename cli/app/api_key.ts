/**
 * The API keys of a server: the configured ones, or on loopback one that is
 * made once and kept in the home, readable by its owner only.
 *
 * @module
 */
import type { Log } from "../../mcp/mod.ts";
import { homeFolder } from "../../store/embedded/home_files.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { isLoopback } from "../settings/hosts.ts";
import { StartError } from "./start_error.ts";

const KEY_NAME = "api-key";

/** Right keys pass however many wrong ones came before: length protects them. */
export const MIN_KEY_CHARACTERS = 16;

/** Keys that open the endpoint. @throws {ConfigError} None, and not loopback. */
export async function apiKeysOf(
  config: Config<"apiKeys" | "host" | "home">,
): Promise<readonly string[]> {
  if (config.apiKeys.length > 0) return config.apiKeys;
  if (!isLoopback(config.host)) {
    throw new ConfigError([
      `API_KEYS is not set and HOST is ${config.host}, which other machines reach: set API_KEYS to at least one key, or HOST to 127.0.0.1`,
    ]);
  }
  return [await keptKey(config.home)];
}

/** How many keys are so short that somebody may guess them. */
export function countShortKeys(keys: readonly string[]): number {
  return keys.filter((key) => key.length < MIN_KEY_CHARACTERS).length;
}

/** Says in the log that keys are short; never which. */
export function warnOfShortKeys(log: Log, keys: readonly string[]): void {
  const short = countShortKeys(keys);
  if (short === 0) return;
  log.warn("api_keys_short", { short, least_characters: MIN_KEY_CHARACTERS });
}

/** Where the generated key is kept. */
export function apiKeyPath(home: string): string {
  return `${home}/${KEY_NAME}`;
}

async function keptKey(home: string): Promise<string> {
  const path = apiKeyPath(home);
  try {
    const key = await readOrMake(home);
    if (key !== "") return key;
  } catch (error) {
    const reason = error instanceof Deno.errors.NotCapable
      ? "this process may not write there"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new StartError(
      `Cannot keep the API key in ${path}: ${reason}. Choose another ROOTCELLAR_HOME, or set API_KEYS`,
    );
  }
  throw new StartError(
    `The API key in ${path} is empty: delete the file, and a new one is made`,
  );
}

async function readOrMake(home: string): Promise<string> {
  const key = `rck_${
    crypto.getRandomValues(new Uint8Array(24))
      .toBase64({ alphabet: "base64url" })
  }`;
  const folder = homeFolder(home);
  // Of two servers that start at once one makes it, and neither reads half.
  await folder.writeOnce(KEY_NAME, `${key}\n`);
  return (await folder.read(KEY_NAME))?.text.trim() ?? "";
}
