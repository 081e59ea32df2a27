/**
 * A server that a fault may end, and that is started again where it was.
 *
 * @module
 */
import { freePort } from "../support/free_port.ts";
import { type ServerProcess, startServer } from "../support/process.ts";

/** It. */
export interface LastingServer extends AsyncDisposable {
  /** Where it listens, whenever it runs. */
  readonly url: string;
  readonly pid: number;
  /** Ends it; the exit code. Rejects when it had died by itself. */
  stop(signal: Deno.Signal): Promise<number>;
  /** Starts it again. */
  start(): Promise<void>;
}

/** Starts it; `preload` is a module that it loads first. */
export async function openLastingServer(
  env: Readonly<Record<string, string>>,
  preload: string,
): Promise<LastingServer> {
  // Runners know it by its address.
  const words = ["--port", String(freePort())];
  const begin = () => startServer(env, words, { preload });
  let process: ServerProcess = await begin();
  return {
    url: process.url,
    get pid() {
      return process.pid;
    },
    async stop(signal) {
      try {
        return await process.stop(signal);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // It cannot be told anything any more.
        throw new Error(
          `A server had died: ${(await process.log).slice(-1_500)}`,
        );
      }
    },
    async start() {
      process = await begin();
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}
