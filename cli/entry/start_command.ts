/**
 * How this program is started again: by a client, or by itself.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { v8Flags } from "./v8_flags.ts";

/**
 * Path of the program: `main.ts` of a checkout, with its configuration and lock
 * beside it, or the one bundle of the npm package.
 */
export function mainPath(): string {
  return isBundle(import.meta.url)
    ? fileURLToPath(Deno.mainModule)
    : fileURLToPath(new URL("../../main.ts", import.meta.url));
}

/** Whether a path is that of the bundle, which needs no other module. */
export function isBundle(main: string): boolean {
  return main.endsWith(".js");
}

/**
 * How this very program is started again: the verb and its words, with the
 * permissions of servers or of runners.
 */
export function programArguments(
  main: string,
  words: readonly string[],
  permissions: "server" | "runner" = "server",
): readonly string[] {
  const folder = main.slice(0, main.lastIndexOf("/"));
  return [
    "run",
    "-q",
    "--no-prompt",
    ...(isBundle(main)
      ? ["--no-lock", "--no-npm", "--no-remote"]
      : ["--frozen"]),
    ...v8Flags(words),
    `--config=${folder}/deno.json`,
    `-P=${permissions}`,
    main,
    ...words,
  ];
}
