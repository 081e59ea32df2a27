/**
 * A headless Firefox as Debian has it, driven by WebDriver BiDi: playwright
 * drives only a Firefox of its own.
 * The protocol: https://www.w3.org/TR/webdriver-bidi/
 *
 * @module
 */
import fs from "node:fs";

const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox"]
  .find((path) => fs.existsSync(path));

/** Whether it is there; tests that need it are ignored else. */
export const HAS_FIREFOX = FIREFOX !== undefined;

/** Ends the name of a test that needs it, so that a skip says why. */
export const FIREFOX_SKIP_NOTE = HAS_FIREFOX
  ? ""
  : " (skipped: Debian's firefox-esr is needed)";

/** Longest that a test waits for it. */
const DEADLINE_MS = 120_000;
const ADDRESS_REGEXP = /WebDriver BiDi listening on (ws:\/\/\S+)/;

/** Keys that write nothing, as the protocol names them. */
export const KEYS = { enter: "\uE007", tab: "\uE004" } as const;

/** What nothing of our pages needs, and what a test is to be without. */
const SETTINGS: Readonly<Record<string, boolean | number | string>> = {
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.ipc.processCount": 1,
  "dom.ipc.processPrelaunch.enabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "remote.active-protocols": 1,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** A window of it. */
export interface FirefoxPage extends AsyncDisposable {
  /** Opens a page, and waits for it. */
  goto(url: string): Promise<void>;
  /** What a script is worth in the page: a text, a number, a truth or nothing. */
  evaluate(script: string): Promise<unknown>;
  /** Waits until a script is true of whatever page is shown. */
  untilTrue(script: string): Promise<void>;
  /** Puts the focus on what a selector finds. */
  focus(selector: string): Promise<void>;
  /** Presses keys one after the other, where the focus is. */
  press(keys: string): Promise<void>;
  /** What the page said to its console, and errors of its scripts. */
  readonly incidents: readonly string[];
}

interface Answer {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
  readonly method?: string;
  readonly params?: { readonly text?: string; readonly level?: string };
}

/** Starts one, with a profile of its own. */
export async function openFirefox(): Promise<FirefoxPage> {
  const stack = new AsyncDisposableStack();
  try {
    const address = await start(stack);
    const { send, incidents } = await connect(`${address}/session`, stack);
    await send("session.new", { capabilities: {} });
    await send("session.subscribe", { events: ["log.entryAdded"] });
    // The tab that it begins with never has the focus, and Firefox lets no key
    // press a button without it.
    const { context } = await send("browsingContext.create", { type: "tab" });
    await send("browsingContext.activate", { context });
    return pageOf({ context, send, incidents, stack });
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Its address, once it listens. */
async function start(stack: AsyncDisposableStack): Promise<string> {
  const profile = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(profile, { recursive: true }));
  await Deno.writeTextFile(
    `${profile}/user.js`,
    Object.entries(SETTINGS).map(([name, value]) =>
      `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`
    ).join(""),
  );
  const process = new Deno.Command(FIREFOX ?? "", {
    args: [
      "--headless",
      "--no-remote",
      "--remote-debugging-port=0",
      "--profile",
      profile,
    ],
    // What it keeps beside its profile goes with it.
    env: { HOME: profile, XDG_CACHE_HOME: profile, MOZ_CRASHREPORTER: "0" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const found = Promise.withResolvers<string>();
  const reading = (async () => {
    let said = "";
    for await (
      const text of process.stderr.pipeThrough(new TextDecoderStream())
    ) {
      said = `${said}${text}`.slice(-10_000);
      const [, address] = ADDRESS_REGEXP.exec(said) ?? [];
      if (address !== undefined) found.resolve(address);
    }
    found.reject(new Error(`Firefox does not listen: ${said}`));
  })();
  stack.defer(async () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await process.status;
    await reading;
  });
  return await found.promise;
}

/** Sends a command: its result. */
// deno-lint-ignore no-explicit-any -- results have forms of their own
type Send = (method: string, params: unknown) => Promise<any>;

async function connect(
  address: string,
  stack: AsyncDisposableStack,
): Promise<{ readonly send: Send; readonly incidents: string[] }> {
  const incidents: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const socket = new WebSocket(address);
  const closed = Promise.withResolvers<void>();
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) {
      reject(new Error("Firefox has gone"));
    }
    closed.resolve();
  });
  socket.addEventListener("message", ({ data }) => {
    const answer: Answer = JSON.parse(data);
    const { id, type, params } = answer;
    if (type === "event") {
      if (params?.level === "error") incidents.push(params.text ?? "");
      return;
    }
    const asked = waiting.get(id ?? -1);
    waiting.delete(id ?? -1);
    if (type === "success") asked?.resolve(answer.result);
    else asked?.reject(new Error(`${answer.error}: ${answer.message}`));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("No connection")));
  });
  stack.defer(async () => {
    socket.close();
    await closed.promise;
  });
  let lastId = 0;
  return {
    incidents,
    send(method, params) {
      const id = ++lastId;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      socket.send(JSON.stringify({ id, method, params }));
      return asked.promise;
    },
  };
}

function pageOf({ context, send, incidents, stack }: {
  readonly context: string;
  readonly send: Send;
  readonly incidents: string[];
  readonly stack: AsyncDisposableStack;
}): FirefoxPage {
  const evaluate = async (expression: string) => {
    const { type, result, exceptionDetails } = await send("script.evaluate", {
      expression,
      target: { context },
      awaitPromise: true,
    });
    if (type === "exception") throw new Error(exceptionDetails.text);
    return result.value;
  };
  return {
    incidents,
    evaluate,
    async goto(url) {
      await send("browsingContext.navigate", {
        context,
        url,
        wait: "complete",
      });
    },
    async untilTrue(script) {
      const deadline = performance.now() + DEADLINE_MS;
      while (performance.now() < deadline) {
        // A page that is on its way to another has nothing to say.
        if (await evaluate(script).catch(() => false)) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(
        `Never true: ${script}; it shows ${await evaluate(
          "location.pathname + ' ' + document.body.innerText",
        )}`,
      );
    },
    async focus(selector) {
      await evaluate(
        `document.querySelector(${JSON.stringify(selector)}).focus()`,
      );
    },
    async press(keys) {
      await send("input.performActions", {
        context,
        actions: [{
          type: "key",
          id: "keyboard",
          actions: [...keys].flatMap((value) => [
            { type: "keyDown", value },
            { type: "keyUp", value },
          ]),
        }],
      });
    },
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
    },
  };
}
