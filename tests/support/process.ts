/**
 * Real processes of the program, on data folders of their own.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { programArguments } from "../../cli/entry/start_command.ts";
import { clusterStatus, stopCluster } from "../../store/embedded/mod.ts";
import { collect, ending } from "./ending.ts";

/** Longest a test waits for anything. */
const DEADLINE_MS = 60_000;

/** Longest a verb may take whose streams are that large. */
const LONG_WORK_MS = 10 * DEADLINE_MS;

/** A data folder that is stopped and removed when it is disposed of. */
export interface TestHome extends AsyncDisposable {
  readonly home: string;
  /** Environment of a process that uses it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes an empty data folder. */
export async function openHome(
  env: Readonly<Record<string, string>> = {},
): Promise<TestHome> {
  const home = await Deno.makeTempDir({ prefix: "rc-" });
  return {
    home,
    env: {
      ...processEnv(),
      ROOTCELLAR_HOME: home,
      CATALOG: mainFolder("tests/data/roots.json"),
      LOG_LEVEL: "debug",
      ...env,
    },
    async [Symbol.asyncDispose]() {
      await stopCluster(home);
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** What a process that has ended left behind. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a verb to its end, with `input` as its stdin. */
export async function runVerb(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { readonly cwd?: string; readonly input?: string } = {},
): Promise<Outcome> {
  const child = command(words, env, options).spawn();
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const [{ code }] = await ending(child, {
    what: words.join(" "),
    work: Promise.all([
      child.status,
      stdout.ended,
      stderr.ended,
      feed(child.stdin, options.input ?? ""),
    ]),
    seen: () => `stdout: ${stdout.text()}\nstderr: ${stderr.text()}`,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A verb that runs, its streams left to the test. */
export interface VerbProcess extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Exit code, once it has ended. */
  readonly code: Promise<number>;
  /** What it said on stderr so far. */
  stderr(): string;
}

/** Starts a verb whose streams are larger than memory should be. */
export function startVerb(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): VerbProcess {
  const child = command(words, env).spawn();
  const stderr = collect(child.stderr);
  let hasEnded = false;
  const code = ending(child, {
    what: words.join(" "),
    work: child.status,
    seen: () => `stderr: ${stderr.text()}`,
    limitMs: LONG_WORK_MS,
  }).then((status) => status.code).finally(() => hasEnded = true);
  code.catch(() => {}); // A test that does not ask for it fails elsewhere.
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    code,
    stderr: stderr.text,
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGKILL");
      await code.catch(() => {}); // Told to whoever waited for it.
      await stderr.ended;
      for (const stream of [child.stdout, child.stdin]) {
        if (stream.locked) continue;
        await ("cancel" in stream ? stream.cancel() : stream.abort())
          .catch(() => {}); // It has ended already.
      }
    },
  };
}

/** Writes all of the input; a process that ends before has read enough. */
async function feed(
  stdin: WritableStream<Uint8Array>,
  input: string,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** A stdio server and the raw lines that it exchanges. */
export interface StdioProcess extends AsyncDisposable {
  readonly pid: number;
  /** Every line of stdout so far. */
  readonly lines: readonly string[];
  /** What it said on stderr so far. */
  stderr(): string;
  /** Sends text as it is. */
  write(text: string | Uint8Array): Promise<void>;
  /** Sends a request and waits for the answer with its id. */
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
  request(method: string, params?: unknown): Promise<any>;
  /** Calls a tool and returns the result. */
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
  call(name: string, args?: unknown): Promise<any>;
  /** Waits until so many lines are there. */
  waitForLines(count: number): Promise<void>;
  /** Ends the input and waits for the process; milliseconds it took. */
  end(): Promise<{ readonly code: number; readonly ms: number }>;
  kill(signal: Deno.Signal): Promise<void>;
}

/** Starts `stdio` and reads its lines. */
export function startStdio(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): StdioProcess {
  const child = command(["stdio", ...words], env).spawn();
  const writer = child.stdin.getWriter();
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => waiting.forEach((check) => check());
  const reading = (async () => {
    let rest = "";
    for await (
      const text of child.stdout.pipeThrough(new TextDecoderStream())
    ) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
      wake();
    }
    if (rest !== "") lines.push(rest);
    wake();
  })();
  const stderr = collect(child.stderr);
  const seen = () =>
    `stdout: ${lines.join(" | ").slice(0, 2_000)}\nstderr: ${
      stderr.text().slice(-4_000)
    }`;
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const check = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    waiting.add(check);
    const timer = setTimeout(
      () => reject(new Error(`Nothing came; so far\n${seen()}`)),
      DEADLINE_MS,
    );
    check();
    try {
      return await promise;
    } finally {
      waiting.delete(check);
      clearTimeout(timer);
    }
  };
  let id = 0;
  let hasEnded = false;
  const finish = async () => {
    hasEnded = true;
    const [status] = await ending(child, {
      what: `stdio ${words.join(" ")}`,
      work: Promise.all([child.status, reading, stderr.ended]),
      seen,
    });
    return status;
  };
  const self: StdioProcess = {
    pid: child.pid,
    lines,
    stderr: stderr.text,
    write: (text) =>
      writer.write(
        typeof text === "string" ? new TextEncoder().encode(text) : text,
      ),
    async request(method, params = {}) {
      const mine = `r${++id}`;
      await self.write(
        `${JSON.stringify({ jsonrpc: "2.0", id: mine, method, params })}\n`,
      );
      return await until(() =>
        lines.map((line) => JSON.parse(line)).find((one) => one.id === mine)
      );
    },
    async call(name, args = {}) {
      return (await self.request("tools/call", { name, arguments: args }))
        .result;
    },
    async waitForLines(count) {
      await until(() => lines.length >= count ? true : undefined);
    },
    async end() {
      const began = performance.now();
      await writer.close().catch(() => {});
      const { code } = await finish();
      return { code, ms: performance.now() - began };
    },
    async kill(signal) {
      child.kill(signal);
      await finish();
      await writer.close().catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) await self.kill("SIGKILL");
    },
  };
  return self;
}

/** A running HTTP server. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  /** Address that it printed. */
  readonly url: string;
  /** All of its log, once it has ended. */
  readonly log: Promise<string>;
  /** Sends a signal and waits for the end; the exit code. */
  stop(signal?: Deno.Signal): Promise<number>;
}

/**
 * Starts a serving verb on a free port and waits until it listens. What is
 * preloaded can make faults that the program has no switch for.
 */
export async function startServer(
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
  options: {
    /** @default {"serve"} */
    readonly verb?: "serve" | "start" | "cortex";
    /** A module that runs first. */
    readonly preload?: string;
    /** Most descriptors that it may have. */
    readonly descriptors?: number;
  } = {},
): Promise<ServerProcess> {
  const child = command(
    [options.verb ?? "serve", "--port", "0", ...words],
    env,
    options,
  )
    .spawn();
  await child.stdin.close();
  const stderr = collect(child.stderr);
  const log = stderr.ended.then(stderr.text);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  await ending(child, {
    what: `the start of ${words.join(" ") || "a server"}`,
    work: (async () => {
      while (!printed.includes("\n")) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The server did not start: ${await log}`);
        printed += value;
      }
    })(),
    seen: () => `stderr: ${stderr.text()}`,
  });
  let hasEnded = false;
  const stop = async (signal: Deno.Signal = "SIGTERM") => {
    hasEnded = true;
    child.kill(signal);
    const [{ code }] = await ending(child, {
      what: `the server after ${signal}`,
      work: Promise.all([child.status, log]),
      seen: () => `stderr: ${stderr.text().slice(-4_000)}`,
    });
    await reader.cancel();
    return code;
  };
  return {
    pid: child.pid,
    url: /http:[^\s;]+/.exec(printed)?.[0] ?? "",
    log,
    stop,
    async [Symbol.asyncDispose]() {
      if (!hasEnded) await stop("SIGKILL");
    },
  };
}

/** Waits until the PostgreSQL of a home is in a state. */
export async function waitForCluster(
  home: string,
  state: "running" | "stopped",
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while ((await clusterStatus(home)).state !== state) {
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL is not ${state}`);
    }
  }
}

/** A path inside the project. */
export function mainFolder(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

function command(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, preload, descriptors }: {
    readonly cwd?: string | undefined;
    readonly preload?: string | undefined;
    readonly descriptors?: number | undefined;
  } = {},
): Deno.Command {
  const [run = "", ...rest] = programArguments(mainFolder("main.ts"), words);
  const args = [
    run,
    ...(preload === undefined ? [] : [`--preload=${preload}`]),
    ...rest,
  ];
  const bounded = ["-c", `ulimit -n ${descriptors}; exec "$0" "$@"`];
  const isBounded = descriptors !== undefined;
  return new Deno.Command(isBounded ? "sh" : Deno.execPath(), {
    args: isBounded ? [...bounded, Deno.execPath(), ...args] : args,
    env: { ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** What a process needs of the environment, and no setting of the program. */
export function processEnv(): Record<string, string> {
  const env: Record<string, string> = {};
  for (
    const name of [
      "PATH",
      "HOME",
      "DENO_DIR",
      "XDG_CACHE_HOME",
      "TMPDIR",
      "NPM_CONFIG_REGISTRY",
    ]
  ) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}
