/**
 * The environment that tells another process what this one was told.
 *
 * @module
 */
import { type Config, type Given, SETTINGS, TABLE } from "./config.ts";
import type { Row } from "./setting.ts";

/**
 * Variables of the settings that somebody set, secrets included, unless they
 * came from a file: then it is named. `found` holds what nobody set and the
 * other process would not find by itself.
 */
export function carriedEnv(
  config: Partial<Config> & Given,
  found: Partial<Config> = {},
): Record<string, string> {
  const values = { ...config, ...found };
  const env: Record<string, string> = {};
  for (const { key, name, file } of SETTINGS) {
    const row: Row = TABLE[key];
    const isKnown = config.given.has(key) || Object.hasOwn(found, key);
    if (!row.isCarried || !isKnown) continue;
    const path = config.files?.get(key);
    if (path === undefined || file === undefined) {
      env[name] = row.write(values[key]);
    } else env[file.name] = path;
  }
  return env;
}
