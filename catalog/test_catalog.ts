/**
 * Helpers of this module's tests: a folder with files, a clock, a server.
 *
 * @module
 */

import { join } from "node:path";

/** A folder that goes away with its scope. */
export interface TestFolder extends AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** Writes a file; objects become JSON. Answers its path. */
  write(name: string, content: unknown): Promise<string>;
  /** Removes a file. */
  remove(name: string): Promise<void>;
}

/** Opens a folder with files. */
export async function openTestFolder(
  files: Readonly<Record<string, unknown>> = {},
): Promise<TestFolder> {
  const path = await Deno.makeTempDir({ prefix: "catalog-" });
  const folder: TestFolder = {
    path,
    async write(name, content) {
      const file = join(path, name);
      await Deno.mkdir(join(file, ".."), { recursive: true });
      const text = typeof content === "string"
        ? content
        : JSON.stringify(content);
      await Deno.writeTextFile(file, text);
      return file;
    },
    remove: (name) => Deno.remove(join(path, name)),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
  for (const [name, content] of Object.entries(files)) {
    await folder.write(name, content);
  }
  return folder;
}

/** A clock that moves when told to. */
export class TestClock {
  #now: number;

  /** Starts at a time in milliseconds. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  /** Reads the clock; bound, so it can be passed on. */
  readonly read = (): number => this.#now;

  /** Moves the clock. */
  advance(seconds: number): void {
    this.#now += seconds * 1_000;
  }
}

/** A server whose answer a test replaces while it runs. */
export interface TestServer extends AsyncDisposable {
  /** Address without a trailing slash. */
  readonly base: string;
  /** How many requests came in. */
  readonly hits: number;
  /** Replaces the answer. */
  answer(handler: (request: Request) => Response | Promise<Response>): void;
}

/** Serves on a free port of this machine. */
export function openTestServer(
  handler: (request: Request) => Response | Promise<Response>,
): TestServer {
  let current = handler;
  let hits = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      hits++;
      return current(request);
    },
  );
  return {
    base: `http://127.0.0.1:${server.addr.port}`,
    get hits() {
      return hits;
    },
    answer(next) {
      current = next;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
