/**
 * Reads the configuration of this process: the only place that touches its
 * environment.
 *
 * @module
 */
import { type Config, flagOf, readConfig, SETTINGS } from "./config.ts";
import { isCortexSetting } from "./cortex_config.ts";
import type { Call } from "../verb.ts";

/** The configuration of this process. @throws {ConfigError} What is wrong. */
export async function processConfig({ flags }: Call): Promise<Config> {
  const env = (name: string) => Deno.env.get(name);
  // Without a setting there is nothing to check, and cortex is not loaded.
  const isCortexSet = SETTINGS.filter(isCortexSetting)
    .some((one) => (flags[flagOf(one)] ?? env(one.name)) !== undefined);
  const machine = {
    os: Deno.build.os,
    uid: Deno.build.os === "windows" ? null : Deno.uid(),
  };
  if (!isCortexSet) return readConfig(flags, env, machine);
  const { checkCortex } = await import("../app/memory_engine.ts");
  return readConfig(flags, env, machine, checkCortex);
}
