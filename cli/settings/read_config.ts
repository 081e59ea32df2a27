/**
 * Reads the configuration of this process. Flags win over the environment;
 * every problem is reported at once.
 *
 * @module
 */
import {
  type Config,
  ConfigError,
  type Given,
  type Key,
  SETTINGS,
  settingsOf,
  TABLE,
} from "./config.ts";
import { checkEmbeddings } from "./embedding_settings.ts";
import { callerPath } from "./environment.ts";
import type { Parsed, Row, Source } from "./setting.ts";
import { type Found, lookUp } from "./look_up.ts";

const LAYOUT = settingsOf("layout");
const CORTEX = settingsOf("layout", "cortex");
const EMBEDDINGS = [
  "embeddingsUrl",
  "embeddingsModel",
  "embeddingsApiKey",
] as const;

/** Shorter texts are no secrets, and would mask words of the message. */
const MIN_SECRET_CHARACTERS = 6;

/** What is configured, and all that is wrong with it. */
export interface Reading<K extends Key> {
  readonly config: Config<K> & Given;
  readonly problems: readonly string[];
  /** Texts that no problem may show. */
  readonly secrets: readonly string[];
}

/**
 * The configuration of this process, as far as a verb uses it.
 *
 * @throws {ConfigError} Lists everything that is wrong, never a secret.
 */
export async function processConfig<K extends Key>(
  keys: readonly K[],
  flags: Readonly<Record<string, unknown>>,
): Promise<Config<K> & Given> {
  return await readConfig(keys, {
    flags,
    env: (name) => Deno.env.get(name),
    os: Deno.build.os,
    uid: Deno.build.os === "windows" ? null : Deno.uid(),
    toPath: callerPath,
  });
}

/**
 * Reads settings, and checks what they come to together.
 *
 * @throws {ConfigError} Lists everything that is wrong, never a secret.
 */
export async function readConfig<K extends Key>(
  keys: readonly K[],
  source: Source,
): Promise<Config<K> & Given> {
  const { config, problems, secrets } = readSettings(keys, source);
  const all = [
    ...problems,
    ...await cortexProblems(config),
    ...embeddingProblems(config),
  ];
  if (all.length === 0) return config;
  throw new ConfigError(all.map((line) => masked(line, secrets)));
}

/** Reads settings one by one; a wrong one counts as unset. */
export function readSettings<K extends Key>(
  keys: readonly K[],
  source: Source,
): Reading<K> {
  const values: Partial<Record<Key, unknown>> = {};
  const given = new Set<Key>();
  const files = new Map<Key, string>();
  const problems: string[] = [];
  const secrets: string[] = [];
  for (const setting of SETTINGS) {
    const { key } = setting;
    if (!keys.some((one) => one === key)) continue;
    const row: Row = TABLE[key];
    const found = lookUp(setting, source);
    const value = found && valueOf(row, found, source);
    if (found !== undefined) given.add(key);
    if (found?.file !== undefined) files.set(key, found.file);
    if (setting.isSecret) secrets.push(...secretsOf(found));
    if (value?.ok === false) problems.push(...value.problems);
    values[key] = value?.ok ? value.value : row.unset(source);
  }
  const config = { ...values, given, ...(files.size === 0 ? {} : { files }) };
  // Each value comes from the row that its type is taken from.
  return {
    config: config as unknown as Reading<K>["config"],
    problems,
    secrets,
  };
}

function valueOf(row: Row, found: Found, { toPath }: Source): Parsed<unknown> {
  if (found.problem !== undefined) {
    return { ok: false, problems: [found.problem] };
  }
  return row.parse(found.text, found.name, toPath);
}

/** Without a setting there is nothing to check, and cortex is not loaded. */
async function cortexProblems(
  config: Partial<Config> & Given,
): Promise<readonly string[]> {
  if (!CORTEX.some((key) => config.given.has(key))) return [];
  const { checkCortex, checkLayout } = await import(
    "./cortex_settings.ts"
  );
  if (holds(config, CORTEX)) return checkCortex(config);
  return holds(config, LAYOUT) ? checkLayout(config) : [];
}

function embeddingProblems(
  config: Partial<Config> & Given,
): readonly string[] {
  return holds(config, EMBEDDINGS) ? checkEmbeddings(config) : [];
}

function holds<K extends Key>(
  config: Partial<Config>,
  keys: readonly K[],
): config is Config<K> {
  return keys.every((key) => Object.hasOwn(config, key));
}

/** The whole text, and what stands between its commas. */
function secretsOf(found: Found | undefined): readonly string[] {
  const text = found?.text ?? "";
  return [text, ...text.split(",")]
    .filter((part) => part.length >= MIN_SECRET_CHARACTERS);
}

function masked(line: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), line);
}
