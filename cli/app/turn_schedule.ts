/**
 * Ends turns whose lease is over, while a server runs. Any number of servers
 * may do so: each turn is ended once.
 *
 * @module
 */
import { loseExpiredTurns, openTurns } from "../../fleet/mod.ts";
import type { Log, Services } from "../../mcp/mod.ts";

/** Between two looks. */
const LOOK_MS = 10_000;
/** A server that was away first lets runners beat that could not. */
const FIRST_LOOK_MS = 20_000;

/** Looks until it is disposed of. */
export function scheduleTurnLooks(
  services: Pick<Services, "catalog" | "store">,
  log: Log,
): AsyncDisposable {
  const turns = openTurns(services);
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(look, FIRST_LOOK_MS);
  function look(): void {
    running = loseExpiredTurns(turns).then(
      (lost) => {
        if (lost > 0) log.warn("turns_lost", { turns: lost });
      },
      (error: unknown) => log.warn("turn_look_failed", { error }),
    ).finally(() => {
      timer = setTimeout(look, LOOK_MS);
    });
  }
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await running;
      clearTimeout(timer);
    },
  };
}
