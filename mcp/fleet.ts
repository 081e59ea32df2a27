/**
 * The fleet, told what only the endpoint knows: which tool groups there are.
 *
 * @module
 */
import type { Fleet } from "../fleet/mod.ts";
import { GROUP_NAMES } from "./tools/groups.ts";
import type { Services } from "./services.ts";

/** What the rules of the fleet work on, from what the server is built from. */
export function fleetOf({ catalog, store, routerRoot }: Services): Fleet {
  return { catalog, store, groupNames: GROUP_NAMES, routerRoot };
}
