/**
 * How an entry of a client starts this program again.
 *
 * @module
 */

/** How this very program is started again: the verb and its words. */
export function programArguments(
  main: string,
  words: readonly string[],
): readonly string[] {
  const folder = main.slice(0, main.lastIndexOf("/"));
  return [
    "run",
    "-q",
    "--no-prompt",
    "--frozen",
    `--config=${folder}/deno.json`,
    "-P=server",
    main,
    ...words,
  ];
}

/**
 * How a client starts this program.
 *
 * Without Deno on the machine it runs from npm's cache, which may be cleared;
 * then the entry goes through `npx` as well.
 */
export function clientCommand(
  program: { readonly deno: string; readonly main: string },
  words: readonly string[],
): readonly string[] {
  const run = programArguments(program.main, words);
  return program.deno.includes("/_npx/")
    ? ["npx", "-y", `deno@${Deno.version.deno}`, ...run]
    : [program.deno, ...run];
}
