/**
 * The fleet, told what only the endpoint knows: which tool groups there are.
 *
 * @module
 */
import type { Fleet } from "../fleet/mod.ts";
import { namesOf } from "./tools/group.ts";
import { GROUPS } from "./tools/registry.ts";
import type { Services } from "./services.ts";

/**
 * What the rules of the fleet work on, from what the server is built from.
 * The registry has tools that call this: it is asked when they do, not before.
 */
export function fleetOf(
  {
    catalog,
    store,
    humanChannels,
    outside,
    routerRoot,
    defaultRuntime,
    durations,
    elicitationMinutes,
  }: Services,
): Fleet {
  return {
    catalog,
    store,
    humanChannels,
    outside,
    routerRoot,
    defaultRuntime,
    durations,
    elicitationMinutes,
    groupNames: namesOf(GROUPS),
  };
}
