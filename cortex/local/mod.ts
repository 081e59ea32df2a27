/**
 * A CortexDB of our own. What it asks of its storage is `port.ts`, which
 * adapters take their types from.
 *
 * @module
 */
export { advanceIndexing } from "./search/indexer.ts";
export {
  createLocalCortex,
  type LocalCortex,
  type LocalCortexOptions,
  type StorageFault,
} from "./service.ts";
