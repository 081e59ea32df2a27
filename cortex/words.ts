/**
 * The words of cortex: its errors. Imports nothing, so that
 * whoever must start fast can have them without the engine.
 *
 * @module
 */
export {
  type ConfigProblem,
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
  type ProtocolFault,
  quote,
  type RefusalFacts,
  type RefusalReason,
  ScopeSyntaxError,
  type UnavailableFacts,
} from "./errors.ts";
