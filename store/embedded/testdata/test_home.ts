/**
 * Homes and client processes for tests, cleaned up whatever happens.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { type ClusterFolders, findFolders } from "../folders.ts";
import { serverPids, signal } from "../process.ts";
import { livingServer, stopServer } from "../server.ts";
import { waitUntil, within } from "../wait.ts";

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const ANSWER_TIMEOUT_MS = 90_000;

/** A folder for one test; disposing stops its server and removes it. */
export class TestHome implements AsyncDisposable {
  /** The home to open. */
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string, path: string) {
    this.#folder = folder;
    this.path = path;
  }

  /** Makes an empty home, or with `below` one that does not exist yet. */
  static async create(below?: string): Promise<TestHome> {
    const folder = await Deno.makeTempDir({ prefix: "rc-" });
    return new TestHome(
      folder,
      below === undefined ? folder : `${folder}/${below}`,
    );
  }

  /** Folders of the cluster that has been opened here. */
  async folders(): Promise<ClusterFolders> {
    const folders = await findFolders(this.path);
    if (folders === undefined) throw new Error("Home has no cluster");
    return folders;
  }

  /** Whether the server of the cluster here lives. */
  async isRunning(): Promise<boolean> {
    return await livingServer(await this.folders()) !== undefined;
  }

  /** Kills the server with nothing but SIGKILL; answers its process id. */
  async killServer(): Promise<number> {
    const { data } = await this.folders();
    const pid = Number.parseInt(
      await Deno.readTextFile(`${data}/postmaster.pid`),
      10,
    );
    Deno.kill(pid, "SIGKILL");
    return pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const folders = await findFolders(this.path).catch(() => undefined);
    if (folders !== undefined) {
      await stopServer(folders, { fastMs: 5_000 }).catch(() => {});
      for (const pid of await serverPids(folders)) signal(pid, "SIGKILL");
      await Deno.remove(folders.base, { recursive: true }).catch(() => {});
    }
    await Deno.remove(this.#folder, { recursive: true }).catch(() => {});
  }
}

/** One process of `client.ts`; disposing kills it. */
export class ClientProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #answers = new Map<number, Answer>();
  #requests = 0;
  #hasEnded = false;

  /** Starts the process; it does nothing before its first request. */
  constructor(home: string) {
    const script = fileURLToPath(new URL("client.ts", import.meta.url));
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--frozen", "-P=server", script, home],
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Starts a process that has opened the home. */
  static async open(home: string): Promise<ClientProcess> {
    const client = new ClientProcess(home);
    try {
      await client.ask("open");
      return client;
    } catch (error) {
      await client[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Sends a request and waits for its answer; an error of it is thrown. */
  async ask<T>(request: string, text: string = ""): Promise<T> {
    const id = ++this.#requests;
    const line = `${JSON.stringify({ id, request, text })}\n`;
    await this.#input.write(new TextEncoder().encode(line));
    const isOver = () => this.#answers.has(id) || this.#hasEnded;
    await waitUntil(isOver, ANSWER_TIMEOUT_MS, 5);
    const answer = this.#answers.get(id);
    if (answer === undefined) throw new Error(`No answer to "${request}"`);
    if (answer.error !== undefined) {
      throw Object.assign(new Error(answer.error.message), answer.error);
    }
    return answer.value as T; // The test knows what it asked for.
  }

  /** Ends the input; answers the milliseconds until the process has ended. */
  async end(): Promise<number> {
    const begun = performance.now();
    await this.#input.close();
    const status = await within(this.#child.status, ANSWER_TIMEOUT_MS);
    if (status === undefined) throw new Error("The process does not end");
    return Math.round(performance.now() - begun);
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    signal(this.#child.pid, "SIGKILL");
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process that reads no more would not let it be closed.
    await this.#input.abort().catch(() => {});
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#child.status;
    await this.#reading;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#child.stdout) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const answer: Answer = JSON.parse(line);
        this.#answers.set(answer.id, answer);
      }
    }
    this.#hasEnded = true;
  }
}
