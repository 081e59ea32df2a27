/**
 * The brake on failures: an address that presented too many wrong credentials
 * is told to wait, until its window has passed.
 *
 * A right credential passes at any time: clients behind one proxy, and all of
 * one machine, share an address, and a stale one must not lock the others out.
 * Keys and tokens are too long to be guessed at any rate. Pure but for the
 * clock that it is given.
 *
 * @module
 */

/** Wrong credentials that an address has in a window. */
export const MAX_FAILURES = 20;
/** Length of a window; it opens with the first wrong credential. */
export const WINDOW_MS = 60_000;
/** Addresses remembered at once; the oldest window gives way. */
export const MAX_ADDRESSES = 10_000;

/** Counts wrong credentials by address. */
export interface Brake {
  /** Seconds for which failures of the address are braked; undefined: none. */
  waitOf(address: string): number | undefined;
  /** Takes note of a wrong credential; true when this one closed the window. */
  fail(address: string): boolean;
}

interface Window {
  readonly until: number;
  failures: number;
}

/** Makes a brake that has seen nothing yet. */
export function createBrake(
  now: () => number = () => performance.now(),
): Brake {
  // A Map keeps the order of insertion, and all windows are equally long: the
  // first one is always the next to end.
  const windows = new Map<string, Window>();
  const windowOf = (key: string): Window | undefined => {
    const window = windows.get(key);
    if (window === undefined || window.until > now()) return window;
    windows.delete(key);
    return undefined;
  };
  return {
    waitOf(address) {
      if (windows.size === 0) return undefined;
      const window = windowOf(networkOf(address));
      return window === undefined || window.failures < MAX_FAILURES
        ? undefined
        : Math.ceil((window.until - now()) / 1000);
    },
    fail(address) {
      const key = networkOf(address);
      const window = windowOf(key) ??
        { until: now() + WINDOW_MS, failures: 0 };
      window.failures++;
      windows.set(key, window);
      const [oldest] = windows.keys();
      if (windows.size > MAX_ADDRESSES && oldest !== undefined) {
        windows.delete(oldest);
      }
      return window.failures === MAX_FAILURES;
    },
  };
}

/**
 * What one party holds: an IPv4 address, or the first half of an IPv6 address,
 * the rest of which a host chooses as it likes.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const last = tail === "" ? [] : tail.split(":");
    while (groups.length + last.length < 8) groups.push("0");
    groups.push(...last);
  }
  return groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
