/**
 * Other people's clients and servers, installed from the lock file in
 * `tests/clients/`, which no user of the product downloads.
 *
 * @module
 */

const FOLDER = new URL("../clients/", import.meta.url).pathname;
const STAMP = `${FOLDER}node_modules/.rootcellar-installed`;

/** Whether npm and Node are there; without them these tests are ignored. */
export const HAS_NPM = runs("npm") && runs("node");

/** Ends the name of a test that needs npm, so that a skip says why. */
export const SKIP_NOTE = HAS_NPM ? "" : " (skipped: npm is not installed)";

/** The path of an installed file; installs everything on first use. */
export async function clientPath(path: string): Promise<string> {
  await (installing ??= install());
  return `${FOLDER}node_modules/${path}`;
}

let installing: Promise<void> | undefined;

async function install(): Promise<void> {
  const lock = await Deno.readTextFile(`${FOLDER}package-lock.json`);
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(lock),
  );
  const wanted = new Uint8Array(digest).toHex();
  // Test files run side by side; one installs, the others wait.
  using mutex = await Deno.open(`${FOLDER}.install.lock`, {
    create: true,
    write: true,
  });
  await mutex.lock(true);
  const installed = await Deno.readTextFile(STAMP).catch(() => "");
  if (installed === wanted) return;
  // Not `npm ci`: it insists on an optional dependency that no registry has.
  // `install` takes what the lock file pins just the same.
  const { success, stderr } = await new Deno.Command("npm", {
    args: [
      "install",
      "--no-save",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--loglevel=error",
    ],
    cwd: FOLDER,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`npm install failed: ${new TextDecoder().decode(stderr)}`);
  }
  await Deno.writeTextFile(STAMP, wanted);
}

function runs(program: string): boolean {
  try {
    return new Deno.Command(program, {
      args: ["--version"],
      stdout: "null",
      stderr: "null",
    }).outputSync().success;
  } catch {
    return false;
  }
}
