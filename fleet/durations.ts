/**
 * Every duration of the fleet, in one place, so that tests can make them short.
 *
 * @module
 */

/** Durations, in seconds unless the name says otherwise. */
export interface Durations {
  /** How long a session must stand at rest before anybody is told. */
  readonly settle: number;
  /** How often servers look for what is due by its time. */
  readonly look: number;
  /** How long a pause waits for its turn to end before it answers. */
  readonly pauseReceipt: number;
  /** How often servers look whether a condition is to be polled. */
  readonly poll: number;
  /** How often servers look for turns whose lease is over. */
  readonly leases: number;
  /**
   * How long a server that begins leaves such turns alone: it may have been
   * away, and lets runners beat that could not.
   */
  readonly leaseGrace: number;
  /** How often servers look for what is due and was not done. */
  readonly sweep: number;
}

/** Those of the product. */
export const DURATIONS: Durations = {
  settle: 60,
  look: 1,
  poll: 5,
  leases: 10,
  leaseGrace: 20,
  pauseReceipt: 5,
  sweep: 30,
};
