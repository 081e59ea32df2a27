/**
 * What the spot gate looks at, and what operators set.
 *
 * @module
 */
export type {
  GateState,
  LimitState,
  LoginReport,
  LoginState,
  SpotChange,
  SpotSettings,
  SpotState,
} from "./policy.ts";
export {
  readGateState,
  readSpotState,
  recordLogin,
  writeSpotSettings,
} from "./policy.ts";
export type { SpotPlace } from "./held.ts";
export { countRunningAlone, listHeld, listParked, listUnheld } from "./held.ts";
