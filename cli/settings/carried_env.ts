/**
 * The environment that tells another process what this one was told.
 *
 * @module
 */
import { type Config, type Given, KEYS, TABLE } from "./config.ts";
import type { Row } from "./setting.ts";

/**
 * Variables of the settings that somebody set, secrets included; `found` holds
 * what nobody set and the other process would not find by itself.
 */
export function carriedEnv(
  config: Partial<Config> & Given,
  found: Partial<Config> = {},
): Record<string, string> {
  const values = { ...config, ...found };
  const env: Record<string, string> = {};
  for (const key of KEYS) {
    const row: Row = TABLE[key];
    const isKnown = config.given.has(key) || Object.hasOwn(found, key);
    if (row.isCarried && isKnown) env[row.name] = row.write(values[key]);
  }
  return env;
}
