/**
 * Index entries for tests of the event log, of texts of one passage.
 *
 * @module
 */
import {
  ANALYSER_VERSION,
  analyseText,
} from "../../cortex/local/analyser/analyser.ts";
import type { LogFilter, LogIndexEntry } from "../../cortex/local/port.ts";

/** What the index holds of a text. */
export function entryOf(text: string): LogIndexEntry {
  const { terms, length } = analyseText(text);
  return {
    analyser: ANALYSER_VERSION,
    passages: [{
      from: 0,
      characters: text.length,
      length,
      terms: new Map(
        [...terms].map(([term, places]) => [
          term,
          places.map((at) => ({ at, field: "text" as const })),
        ]),
      ),
    }],
    known: [...terms.keys()].filter((term) => term.length > 3),
  };
}

/** A filter that lets everything pass. */
export const NO_FILTER: LogFilter = {
  labels: [],
  actors: [],
  modality: undefined,
  since: undefined,
  until: undefined,
  recordedBy: undefined,
};
