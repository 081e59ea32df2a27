/**
 * Who asks the fleet for something.
 *
 * @module
 */
import type { Fence } from "./fence.ts";

/** Who asks, as far as rules depend on it. */
export interface FleetCaller {
  /** The calling session; null when nobody knows. */
  readonly sessionId: number | null;
  /**
   * Whether a token proves that session: then it reaches itself and what it
   * started, and nothing else. An API key reaches every session.
   */
  readonly isConfined: boolean;
  /** Roots it may act on. */
  readonly fence: Fence;
}

/** Somebody whom nothing restricts: the command line, pages, jobs. */
export const UNRESTRICTED: FleetCaller = {
  sessionId: null,
  isConfined: false,
  fence: null,
};
