/**
 * A headless Chromium, driven by playwright-core.
 *
 * @module
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import { clientPath, HAS_NPM } from "./clients.ts";

/** Where Debian and others put it. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
  .find((path) => fs.existsSync(path));

/** Whether there is a browser to drive; tests that need it are ignored else. */
export const HAS_BROWSER = CHROMIUM !== undefined && HAS_NPM;

/** Ends the name of a test that needs it, so that a skip says why. */
export const BROWSER_SKIP_NOTE = HAS_BROWSER
  ? ""
  : " (skipped: Debian's chromium and npm are needed)";

/** Longest that a test waits for the browser. */
const DEADLINE_MS = 120_000;

/** The part of playwright's `Page` that tests use. */
export interface BrowserPage {
  goto(url: string): Promise<{ status(): number } | null>;
  url(): string;
  title(): Promise<string>;
  fill(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  selectOption(selector: string, value: string): Promise<unknown>;
  dragAndDrop(
    from: string,
    to: string,
    options: { targetPosition: { x: number; y: number } },
  ): Promise<void>;
  waitForURL(url: string | RegExp): Promise<void>;
  waitForLoadState(): Promise<void>;
  textContent(selector: string): Promise<string | null>;
  innerText(selector: string): Promise<string>;
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>;
  // deno-lint-ignore no-explicit-any -- tests look into pages freely
  evaluate(script: string): Promise<any>;
  /** Runs before the scripts of every page from now on. */
  addInitScript(script: { readonly content: string }): Promise<void>;
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
  };
  on(event: string, listener: (fact: Fact) => void): void;
}

/**
 * Waits until a script is true of a page. Playwright's own way evaluates texts in
 * the page, which our pages forbid.
 */
export async function untilTrue(
  page: BrowserPage,
  script: string,
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    // A page that is on its way to another has nothing to say.
    if (await page.evaluate(script).catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Never true: ${script}`);
}

/** What a page tells of: a message, an error, a request, a dialog. */
interface Fact {
  type?(): string;
  text?(): string;
  url?(): string;
  dismiss?(): Promise<void>;
  readonly message?: string | (() => string);
}

/** A cookie as a browser keeps it. */
export interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly httpOnly?: boolean;
  readonly sameSite?: string;
}

/** How a visitor looks at pages. */
export interface Look {
  /** @default {"light"} */
  readonly colorScheme?: "light" | "dark";
  /** Of the window, in pixels. @default {1200} */
  readonly width?: number;
  /** Whether pages may run scripts. @default {true} */
  readonly javaScriptEnabled?: boolean;
  /** What pages need not ask for, such as `notifications`. @default {[]} */
  readonly permissions?: readonly string[];
}

/** A visitor with cookies of their own. */
export interface Visitor extends AsyncDisposable {
  readonly page: BrowserPage;
  /**
   * What no page of ours may cause: refusals of the Content Security Policy,
   * script errors, dialogs, requests to anywhere else.
   */
  readonly incidents: readonly string[];
  cookies(): Promise<BrowserCookie[]>;
  /** Takes a cookie as a `Cookie` header has it. */
  setCookie(url: string, cookie: string): Promise<void>;
  /** Speaks to Chromium about the page in its own protocol. */
  protocol(): Promise<BrowserProtocol>;
}

/** Chrome DevTools Protocol. */
export interface BrowserProtocol {
  send(method: string, params?: unknown): Promise<unknown>;
  // deno-lint-ignore no-explicit-any -- events have forms of their own
  on(event: string, listener: (fact: any) => void): void;
}

/** A running browser. */
export interface Browser extends AsyncDisposable {
  /** Opens a window for a visitor of `origin`. */
  visit(origin: string, look?: Look): Promise<Visitor>;
}

interface PlaywrightContext {
  newPage(): Promise<BrowserPage & { setDefaultTimeout(ms: number): void }>;
  cookies(): Promise<BrowserCookie[]>;
  addCookies(cookies: readonly unknown[]): Promise<void>;
  newCDPSession(page: BrowserPage): Promise<BrowserProtocol>;
  close(): Promise<void>;
}

/** Starts a browser. */
export async function openBrowser(): Promise<Browser> {
  const path = await clientPath("playwright-core/index.js");
  const { chromium } = withoutProc(() => createRequire(path)(path));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    // As root, as in CI, Chromium's sandbox cannot start.
    args: Deno.uid() === 0 ? ["--no-sandbox"] : [],
  });
  return {
    async visit(
      origin,
      {
        colorScheme = "light",
        width = 1200,
        javaScriptEnabled = true,
        permissions = [],
      } = {},
    ) {
      const context: PlaywrightContext = await browser.newContext({
        colorScheme,
        javaScriptEnabled,
        permissions,
        viewport: { width, height: 800 },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(DEADLINE_MS);
      return {
        page,
        incidents: watch(page, origin),
        cookies: () => context.cookies(),
        setCookie(url, cookie) {
          const [name, value] = cookie.split(/=(.*)/s);
          return context.addCookies([{ name, value, url }]);
        },
        protocol: () => context.newCDPSession(page),
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function watch(page: BrowserPage, origin: string): readonly string[] {
  const incidents: string[] = [];
  page.on("console", (message) => {
    const text = message.text?.() ?? "";
    // A status that says no is an answer, not an incident.
    if (message.type?.() !== "error" || /^Failed to load resource/.test(text)) {
      return;
    }
    incidents.push(`console: ${text}`);
  });
  page.on("pageerror", (error) => incidents.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    incidents.push("dialog");
    dialog.dismiss?.();
  });
  page.on("request", (request) => {
    const url = request.url?.() ?? "";
    if (!url.startsWith(`${origin}/`)) incidents.push(`request: ${url}`);
  });
  return incidents;
}

/**
 * playwright looks into `/proc` for Windows when it is loaded, which Deno gives
 * to programs with every permission only. To all others it does not exist.
 */
function withoutProc<T>(load: () => T): T {
  const { existsSync } = fs;
  fs.existsSync = (path) =>
    !String(path).startsWith("/proc/") && existsSync(path);
  try {
    return load();
  } finally {
    fs.existsSync = existsSync;
  }
}
