/**
 * A CortexDB of our own. What it asks of its storage is `port.ts`, which
 * adapters take their types from.
 *
 * @module
 */
export {
  createEmbedder,
  type Embedder,
  type EmbedderOptions,
  EmbeddingError,
} from "./embeddings/embedder.ts";
export {
  createFiller,
  type FillerOptions,
  type FillerStep,
} from "./embeddings/filler.ts";
export { advanceIndexing } from "./search/indexer.ts";
export {
  createLocalCortex,
  type LocalCortex,
  type LocalCortexOptions,
  type StorageFault,
} from "./service.ts";
