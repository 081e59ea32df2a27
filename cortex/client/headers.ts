/**
 * Headers by which more is asked for than CortexDB knows of: the local service
 * hears them, and any other one answers as if they were not there.
 *
 * @module
 */

/**
 * Asks for the beginnings of texts in a way that can be ignored: the local
 * service sends no more than that, any other CortexDB whole texts.
 */
export const TEXT_LIMIT_HEADER = "x-rootcellar-text-limit";

/**
 * Asks in the same way for conversations as one event each: their first turn,
 * with the beginning of the whole. Behind the word, ids of further turns that
 * are to come along.
 */
export const FOLD_HEADER = "x-rootcellar-fold";

/** What that header begins with. */
export const FOLD_WORD = "conversations";

/** The most ids in it. */
export const MAX_FOLD_IDS = 100;

/**
 * What that header is where of the other turns the ids will do, in place of how
 * much they say.
 */
export const TURN_IDS_WORD = "turn-ids";

/**
 * Asks in the same way, of a listing of scopes, how many events each holds,
 * counted up to a number.
 */
export const COUNT_HEADER = "x-rootcellar-count-to";
