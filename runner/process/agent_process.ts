/**
 * The process of an agent: started with nothing but what it is given, ended
 * with everything that it has started.
 *
 * @module
 */
import type { ProcessIdentity } from "../../fleet/turns/protocol.ts";
import { type Line, readLines } from "./line_reader.ts";
import { identify, killMarked, MARKER_VARIABLE, signal } from "./marker.ts";

/** Longest line that is read whole, in bytes. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_STDERR_LINE_BYTES = 4_000;
const MAX_STDERR_LINES = 50;

/** What to start. */
export interface AgentProgram {
  /** Program and arguments; no secret among them. */
  readonly argv: readonly string[];
  /** Its working folder. */
  readonly cwd: string;
  /** Its whole environment, but for the marker. */
  readonly env: Readonly<Record<string, string>>;
  /** The marker. */
  readonly marker: string;
  /** Whom to run as; undefined is the runner's own user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Called whenever it writes to standard error. */
  readonly onOutput?: () => void;
}

/** A program that cannot be started. */
export class SpawnError extends Error {
  /** Always `SpawnError`. */
  override readonly name = "SpawnError";
}

/** A started agent. */
export class AgentProcess {
  /** Lines that it writes. */
  readonly lines: AsyncGenerator<Line>;
  /** Resolves when it has exited and its output is read. */
  readonly status: Promise<Deno.CommandStatus>;
  readonly #child: Deno.ChildProcess;
  readonly #marker: string;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stderr: string[] = [];
  readonly #stderrRead: Promise<void>;
  #hasExited = false;
  #leftovers = 0;

  /** Starts it. @throws {SpawnError} */
  constructor(program: AgentProgram) {
    this.#child = spawn(program);
    this.#marker = program.marker;
    this.#input = this.#child.stdin.getWriter();
    this.lines = readLines(this.#child.stdout, MAX_LINE_BYTES);
    this.#stderrRead = this.#readStderr(program.onOutput);
    this.status = this.#child.status.then((status) => {
      this.#hasExited = true;
      return status;
    });
  }

  /** Which process it is. */
  identity(): Promise<ProcessIdentity> {
    return identify(this.#child.pid);
  }

  /** Its last words on standard error. */
  get lastWords(): readonly string[] {
    return this.#stderr;
  }

  /** Writes to it. Rejects when it does not read any more. */
  async write(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Ends its input. */
  async closeInput(): Promise<void> {
    await this.#input.close().catch(() => {}); // It is gone.
  }

  /** Sends a signal to its group. */
  signal(name: Deno.Signal): void {
    if (this.#hasExited) return;
    if (Deno.build.os === "windows" || !signal(-this.#child.pid, name)) {
      signal(this.#child.pid, name);
    }
  }

  /** Kills it and all that it has started; how many outlived it, so far. */
  async sweep(): Promise<number> {
    const wasAlive = !this.#hasExited;
    this.signal("SIGKILL");
    const killed = await killMarked(this.#marker);
    this.#leftovers += Math.max(0, killed - (wasAlive ? 1 : 0));
    await Promise.all([
      this.status,
      this.#stderrRead,
      this.closeInput(),
    ]);
    return this.#leftovers;
  }

  /** Bounded, and read to the end: a full pipe would hold the agent up. */
  async #readStderr(onOutput?: () => void): Promise<void> {
    const lines = readLines(this.#child.stderr, MAX_STDERR_LINE_BYTES);
    for await (const { text } of lines) {
      onOutput?.();
      this.#stderr.push(text);
      if (this.#stderr.length > MAX_STDERR_LINES) this.#stderr.shift();
    }
  }
}

function spawn(
  { argv: [program, ...args], cwd, env, marker, owner }: AgentProgram,
): Deno.ChildProcess {
  try {
    return new Deno.Command(program ?? "", {
      args,
      cwd,
      clearEnv: true,
      env: { ...env, [MARKER_VARIABLE]: marker },
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      ...owner,
    }).spawn();
  } catch (error) {
    throw new SpawnError(
      `Cannot start "${program}": ${
        error instanceof Deno.errors.NotFound
          ? "it is not on this machine"
          : error instanceof Error
          ? error.message
          : String(error)
      }`,
      { cause: error },
    );
  }
}
