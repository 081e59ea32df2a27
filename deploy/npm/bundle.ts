/**
 * Makes JavaScript of an entry with all that it imports, without the SQL and the
 * other files beside it.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../deno.json" with { type: "json" };

/** Where the sources are. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Bundles an entry of the repository into a folder. Comments and long names are
 * left out: V8 keeps the text of all that it runs in memory. Classes keep their
 * names, since errors are told apart by them.
 */
export async function bundle(
  entry: string,
  folder: string,
  more: readonly string[] = [],
): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "-q",
      "--platform=deno",
      "--sourcemap=linked",
      "--minify",
      "--keep-names",
      ...more,
      "--outdir",
      folder,
      entry,
    ],
    cwd: REPOSITORY,
  }).output();
  if (code !== 0) throw new Error(`deno bundle of ${entry} ended with ${code}`);
}

/** Bundles the program, with the permissions that it is started with. */
export async function bundleProgram(folder: string): Promise<void> {
  await bundle("main.ts", folder, ["--code-splitting"]);
  const { server, runner } = configuration.permissions;
  await Deno.writeTextFile(
    join(folder, "deno.json"),
    `${
      JSON.stringify(
        {
          nodeModulesDir: "none",
          unstable: configuration.unstable,
          permissions: { server, runner },
        },
        null,
        2,
      )
    }\n`,
  );
}
