import { deepEqual, equal, match } from "node:assert/strict";
import { fileURLToPath } from "node:url";

const ECHO = fileURLToPath(
  new URL("testdata/echo_streams.ts", import.meta.url),
);
const isLinux = Deno.build.os === "linux";
/** Flag of a descriptor that is never waited for. */
const O_NONBLOCK = 0o4000;

interface Echo extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  send(bytes: Uint8Array): Promise<void>;
  /** Reads so many bytes. */
  receive(count: number): Promise<Uint8Array>;
  /** What it says on stderr, and how it ends, once its input has ended. */
  end(): Promise<{ readonly errors: string; readonly code: number }>;
}

/** Starts the echo; the redirection stands behind its command line. */
function openEcho(warmAfter: number, redirection = ""): Echo {
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      `exec "$@" ${redirection}`,
      "sh",
      Deno.execPath(),
      "run",
      "-q",
      "--no-prompt",
      "-P=server",
      ECHO,
      String(warmAfter),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const errors = new Response(child.stderr).text();
  let rest = new Uint8Array();
  let isEnded = false;
  return {
    child,
    send: (bytes) => writer.write(bytes),
    async receive(count) {
      while (rest.length < count) {
        const { value, done } = await reader.read();
        if (done) break;
        const joined = new Uint8Array(rest.length + value.length);
        joined.set(rest);
        joined.set(value, rest.length);
        rest = joined;
      }
      const taken = rest.slice(0, count);
      rest = rest.slice(count);
      return taken;
    },
    async end() {
      isEnded = true;
      await writer.close().catch(() => {});
      return { errors: await errors, code: (await child.status).code };
    },
    async [Symbol.asyncDispose]() {
      if (!isEnded) {
        await writer.abort().catch(() => {});
        await child.status;
        await errors;
      }
      await reader.cancel().catch(() => {});
    },
  };
}

/** Whether a descriptor of a process is one that nobody waits for. */
async function isWatched({ child }: Echo, fd: number): Promise<boolean> {
  // The runtime itself opens nothing in /proc.
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${child.pid}/fdinfo/${fd}`],
  }).output();
  const info = new TextDecoder().decode(stdout);
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? "";
  return (parseInt(flags, 8) & O_NONBLOCK) !== 0;
}

const line = (text: string) => new TextEncoder().encode(`${text}\n`);

async function exchange(echo: Echo, text: string): Promise<void> {
  await echo.send(line(text));
  deepEqual(await echo.receive(text.length + 1), line(text));
}

Deno.test({
  name: "stdin and stdout are watched by the event loop once it costs nothing",
  ignore: !isLinux,
  fn: async () => {
    await using echo = openEcho(2);
    await exchange(echo, "one");
    deepEqual([await isWatched(echo, 0), await isWatched(echo, 1)], [
      false,
      false,
    ]);
    for (const text of ["two", "three", "four"]) await exchange(echo, text);
    deepEqual([await isWatched(echo, 0), await isWatched(echo, 1)], [
      true,
      true,
    ]);
    deepEqual(await echo.end(), { errors: "", code: 0 });
  },
});

for (const warmAfter of [0, 3, Infinity]) {
  Deno.test(`what comes in leaves as it came, warm after ${warmAfter} chunks`, async () => {
    await using echo = openEcho(warmAfter);
    const bytes = new Uint8Array(3 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 65_536) {
      crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    }
    await exchange(echo, "small");
    const sending = echo.send(bytes);
    // Nobody reads for as long as it takes to fill all pipes.
    await echo.receive(1).then(([first]) => equal(first, bytes[0]));
    const rest = await echo.receive(bytes.length - 1);
    await sending;
    equal(indexOfDifference(rest, bytes.subarray(1)), -1);
    deepEqual(await echo.end(), { errors: "", code: 0 });
  });
}

Deno.test({
  name: "a stdout that is stderr as well stays as it is: the log waits for it",
  ignore: !isLinux,
  fn: async () => {
    await using echo = openEcho(0, "2>&1");
    for (const text of ["one", "two"]) await exchange(echo, text);
    equal(await isWatched(echo, 1), false);
    deepEqual(await echo.end(), { errors: "", code: 0 });
  },
});

for (const warmAfter of [1, Infinity]) {
  Deno.test(`a client that reads no more makes a write fail, warm after ${warmAfter} chunks`, async () => {
    await using echo = openEcho(warmAfter, "| head -c 4");
    await exchange(echo, "one");
    // More than a pipe holds: one of these finds nobody at its other end.
    for (let turn = 0; turn < 40; turn++) {
      await echo.send(new Uint8Array(65_536)).catch(() => {});
    }
    match((await echo.end()).errors, /^failed: \w+\n$/);
  });
}

function indexOfDifference(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((byte, at) => byte !== b[at]);
}
