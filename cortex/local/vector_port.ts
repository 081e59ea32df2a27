/**
 * What the local CortexDB asks of its storage where texts have vectors.
 *
 * A model is named together with the size of its vectors, so that those of two
 * are never compared. Vectors are of length 1.
 *
 * @module
 */
import type { LogEvent, LogFilter } from "./port.ts";

/** A passage's vector, to be stored. */
export interface LogVector {
  /** Which passage of its event, from 0. */
  readonly part: number;
  /** Its numbers. */
  readonly numbers: Float32Array;
}

/** The vectors of an event. */
export interface EmbeddedEvent {
  /** The event. */
  readonly event: Pick<LogEvent, "scope" | "offset">;
  /** One for each passage that has one. */
  readonly vectors: readonly LogVector[];
}

/** A search for passages by their vectors. */
export interface LogNearRequest {
  /** The scopes, all of one root. */
  readonly scopes: readonly string[];
  /** Which events. */
  readonly filter: LogFilter;
  /** The model that the vector is of. */
  readonly model: string;
  /** What to be near to. */
  readonly numbers: Float32Array;
  /** Events at most. */
  readonly limit: number;
}

/** The passage of an event that is nearest. */
export interface LogNear {
  /** The event. */
  readonly id: string;
  /** When it happened, RFC 3339. */
  readonly observedAt: string;
  /** Where it begins in the text, in characters; undefined: beside the text. */
  readonly from: number | undefined;
  /** How many characters it has. */
  readonly characters: number;
  /** Cosine of the angle between the two vectors, from -1 to 1. */
  readonly similarity: number;
}

/** What is near. */
export interface LogNearest {
  /** The nearest events, nearest first. */
  readonly events: readonly LogNear[];
  /** How many passages were compared. */
  readonly compared: number;
  /** How similar they are on average, about. */
  readonly meanSimilarity: number;
}

/** Storage of vectors. */
export interface VectorLog {
  /** Makes a model the one that passages get vectors of, from now on. */
  openModel(model: string): Promise<void>;
  /** Looks for events without vectors of the model; whether more may be left. */
  findUnembedded(model: string): Promise<boolean>;
  /** Takes some events that wait for vectors of the model, for two minutes. */
  takeUnembedded(model: string, limit: number): Promise<readonly LogEvent[]>;
  /** Gives back what was taken and has got no vectors. */
  giveBack(
    events: readonly Pick<LogEvent, "scope" | "offset">[],
  ): Promise<void>;
  /** Stores vectors; of events that are gone, or have theirs by now, none. */
  embed(model: string, events: readonly EmbeddedEvent[]): Promise<void>;
  /** How many events wait, up to a limit. */
  countUnembedded(limit: number): Promise<number>;
  /** The passages whose vectors are nearest. */
  nearest(request: LogNearRequest): Promise<LogNearest>;
}
