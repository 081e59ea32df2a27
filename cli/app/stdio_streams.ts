/**
 * stdin and stdout as the protocol reads and writes them.
 *
 * The runtime reads and writes them in threads beside this one, and handing
 * over costs more than the rest of a small call. As sockets they are watched by
 * the event loop itself, with half the time a message; but a module is needed
 * for that, which takes a start as long as all else. So they become sockets once
 * it is loaded anyway, as it is with the database.
 *
 * @module
 */
import type { Socket } from "node:net";
import type { StdioStreams } from "../../mcp/mod.ts";

/** Most bytes of stdin that are read at a time: what a pipe holds. */
const CHUNK_BYTES = 64 * 1024;

/** Opens them; `isWarm` says whether sockets cost nothing to load. */
export function openStdioStreams(isWarm: () => boolean): StdioStreams {
  let write = writePlain;
  return {
    input: readInput(isWarm, (output) => {
      write = (bytes) => writeSocket(output, bytes);
    }),
    write: (bytes) => write(bytes),
  };
}

/** Chunks of stdin, at first all in the same memory. */
async function* readInput(
  isWarm: () => boolean,
  onSockets: (output: Socket) => void,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let mayChange = true;
  for (;;) {
    if (mayChange && isWarm()) {
      mayChange = false;
      const sockets = await openSockets();
      if (sockets !== undefined) {
        onSockets(sockets.output);
        return yield* chunksOf(sockets.input);
      }
    }
    // A third of what a stream costs for each message.
    const read = await Deno.stdin.read(buffer);
    if (read === null) return;
    yield buffer.subarray(0, read);
  }
}

async function writePlain(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await Deno.stdout.write(bytes.subarray(at));
  }
}

/** Both as sockets; undefined where they are not fit for it. */
async function openSockets(): Promise<
  { readonly input: Socket; readonly output: Socket } | undefined
> {
  if (Deno.build.os !== "linux") return undefined; // Not tried elsewhere.
  try {
    if (!await areOwnPipes()) return undefined;
    const { Socket } = await import("node:net");
    const input = new Socket({ fd: 0, readable: true, writable: false });
    const output = new Socket({ fd: 1, readable: false, writable: true });
    output.on("error", () => {}); // Who writes is told, too.
    return { input, output };
  } catch {
    return undefined;
  }
}

/**
 * Whether stdin and stdout are pipes or sockets, each its own. They are never
 * waited for from then on, and who shares them would have to know: stderr, to
 * which the log is written, must not be the same as stdout.
 */
async function areOwnPipes(): Promise<boolean> {
  const { fstatSync } = await import("node:fs");
  const [input, output, errors] = [0, 1, 2].map((fd) => fstatSync(fd));
  if (input === undefined || output === undefined) return false;
  const others = [input, errors];
  return [input, output].every((one) => one.isFIFO() || one.isSocket()) &&
    others.every((one) => one?.ino !== output.ino || one.dev !== output.dev);
}

/** Chunks of a socket; a listener costs less than the iterator of a stream. */
async function* chunksOf(socket: Socket): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let isOver = false;
  let wake = () => {};
  socket.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    wake();
  });
  for (const event of ["end", "error", "close"]) {
    socket.on(event, () => {
      isOver = true;
      wake();
    });
  }
  for (;;) {
    const chunk = chunks.shift();
    if (chunk !== undefined) yield chunk;
    else if (isOver) return;
    else await new Promise<void>((resolve) => wake = resolve);
  }
}

function writeSocket(output: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(
      bytes,
      (error) => error ? reject(error) : resolve(),
    );
  });
}
