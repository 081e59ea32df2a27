/**
 * An agent for the runtime `command` that leaves what it does in a file, and
 * holds a lock of its session as long as it lives, so that two are noticed.
 *
 * @module
 */

/** Something that an agent did. */
export interface Trace {
  /** It began with what it was told, came to the end of it, or was not alone. */
  readonly kind: "begin" | "end" | "double";
  readonly sessionId: number;
  /** What it was told. */
  readonly token: string;
}

/** What tells an agent to leave a token, and to take so long over it. */
export function promptOf(token: string, seconds = 0.4): string {
  return `<<${token} ${seconds}>>`;
}

/** The agent; it and its children hold the lock. */
export function agentCommand(folder: string): readonly string[] {
  return [
    "/bin/sh",
    "-c",
    `set -- $(sed -n 's/.*<<\\([^ <>]*\\) \\([0-9.]*\\)>>.*/\\1 \\2/p' | tail -n 1)
exec 9>>"${folder}/lock-$ROOTCELLAR_SESSION"
flock -n 9 || echo "double $ROOTCELLAR_SESSION $1" >> "${folder}/trace"
# Its runner died before it had told it anything.
[ -n "$1" ] || exit 1
echo "begin $ROOTCELLAR_SESSION $1" >> "${folder}/trace"
echo "I begin $1"
sleep "$2"
echo "end $ROOTCELLAR_SESSION $1" >> "${folder}/trace"
echo "I end $1"`,
  ];
}

/** What agents left, read on from where the last reading ended. */
export class Traces {
  /** Everything so far, in order. */
  readonly all: Trace[] = [];
  readonly #file: Deno.FsFile;
  #rest = "";

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Makes the file; agents may be of another user. */
  static async open(folder: string): Promise<Traces> {
    await Deno.mkdir(folder);
    await Deno.chmod(folder, 0o777);
    const path = `${folder}/trace`;
    await Deno.writeTextFile(path, "");
    await Deno.chmod(path, 0o666);
    return new Traces(await Deno.open(path));
  }

  /** Reads what is new; says what that is. */
  async read(): Promise<readonly Trace[]> {
    const begin = this.all.length;
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = await this.#file.read(buffer);
      if (count === null) return this.all.slice(begin);
      const text = this.#rest +
        new TextDecoder().decode(buffer.subarray(0, count));
      const lines = text.split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        const [kind, id, token = ""] = line.split(" ");
        if (kind === "begin" || kind === "end" || kind === "double") {
          this.all.push({ kind, sessionId: Number(id), token });
        }
      }
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
