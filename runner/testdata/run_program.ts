/**
 * Runs a program to its end, as an agent runs a hook.
 *
 * @module
 */

/** What came of it. */
export interface ProgramEnd {
  readonly code: number;
  readonly said: string;
}

/** Runs it with nothing in its environment but a path and what is given. */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  { input = "{}", env = {} }: {
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<ProgramEnd> {
  const child = new Deno.Command(program, {
    args,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout } = await child.output();
  return { code, said: new TextDecoder().decode(stdout) };
}
