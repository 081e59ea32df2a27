/**
 * What the spot gate looks at, and what operators set.
 *
 * @module
 */
export type {
  LimitState,
  LoginReport,
  LoginState,
  SpotChange,
  SpotSettings,
  SpotState,
} from "./policy.ts";
export { readSpotState, recordLogin, writeSpotSettings } from "./policy.ts";
