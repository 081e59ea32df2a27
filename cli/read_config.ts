/**
 * Reads the configuration of this process: the only place that touches its
 * environment.
 *
 * @module
 */
import { type Config, readConfig } from "./config.ts";
import type { Call } from "./verb.ts";

/** The configuration of this process. @throws {ConfigError} What is wrong. */
export function processConfig(call: Call): Config {
  return readConfig(call.flags, (name) => Deno.env.get(name), {
    os: Deno.build.os,
    uid: Deno.build.os === "windows" ? null : Deno.uid(),
  });
}
