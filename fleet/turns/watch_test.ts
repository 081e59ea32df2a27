import type { Store } from "../../store/mod.ts";
import { TurnWatch } from "./turns.ts";

/** A database that is away. */
const AWAY = { db: () => Promise.reject(new Error("away")) } as Partial<
  Store
> as Store;

Deno.test("a watch that nobody waits at leaves no timer", async () => {
  const watch = new TurnWatch(AWAY);
  const [short, long] = [new AbortController(), new AbortController()];
  const waits = [
    watch.wait(() => false, { ms: 60_000, signal: short.signal }),
    watch.wait(() => false, { ms: 60_000, signal: long.signal }),
  ];
  short.abort();
  await waits[0];
  long.abort();
  await waits[1];
});

Deno.test("who has gone already does not wait", async () => {
  const watch = new TurnWatch(AWAY);
  await watch.wait(() => false, { ms: 60_000, signal: AbortSignal.abort() });
});

Deno.test("who waits is woken where the database is away", async () => {
  const watch = new TurnWatch(AWAY);
  await watch.wait(() => false, { ms: 60_000 });
});
