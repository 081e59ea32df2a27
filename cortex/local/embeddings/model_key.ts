/**
 * What tells vectors of one model from those of another: its name, and how many
 * numbers they have.
 *
 * @module
 */

/** The key of a model. */
export function modelKey(name: string, vector: Float32Array): string {
  return `${name}/${vector.length}`;
}
