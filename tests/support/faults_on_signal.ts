/**
 * Run before a server: SIGUSR1 makes a rejection that nothing handles, SIGUSR2
 * throws where nothing catches.
 *
 * @module
 */
Deno.addSignalListener("SIGUSR1", () => {
  Promise.reject(new Error("a rejection for the test"));
});
Deno.addSignalListener("SIGUSR2", () => {
  setTimeout(() => {
    throw new Error("an error for the test");
  });
});
