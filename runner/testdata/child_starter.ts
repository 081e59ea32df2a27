/**
 * A worker that starts children one after the other, and says when it is done.
 *
 * @module
 */
const CHILDREN = 150;

for (let n = 0; n < CHILDREN; n++) {
  await new Deno.Command("true").output();
}
// The types here are those of a page, not of a worker.
(globalThis as unknown as Pick<Worker, "postMessage">).postMessage("done");
