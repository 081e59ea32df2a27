/**
 * Advisory locks of the whole program, in one table: a key that two things use
 * makes each wait for the other.
 *
 * Beside these numbers, `root_data_put` of migration 0002 locks the hash of the
 * text `root_data:<namespace>`, so that two new collections of a namespace are
 * counted one after the other.
 *
 * @module
 */

/** Keys by what holds them. */
export const LOCK_KEYS = {
  /** Whoever changes the schema, until it is changed. */
  migrate: 7_668_001,
  /** The one sweep that runs, for as long as it lasts. */
  sweep: 7_668_002,
  /** Whoever changes which session is senior to which. */
  lineage: 7_668_003,
  /** Whoever leases a spot session under the ceiling, until it runs. */
  spot: 7_668_022,
  /** Whoever changes categories, until they are changed. */
  categories: 7_668_025,
  /** Whoever changes the backlog's queue, until it is changed. */
  backlog: 7_668_021,
  /** The tests' template database, while it is made. */
  testTemplate: 7_668_900,
} as const;
