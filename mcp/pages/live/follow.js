/**
 * Follows what the server tells an open page, and says in its line `live` whether
 * it does. It stands in front of the script of each page that is live: one file,
 * one name for each.
 *
 * @module
 */
// deno-lint-ignore no-unused-vars -- the script behind it calls it
function follow({ feed, resumeBy, listeners }) {
  const live = document.getElementById("live");
  let source;
  /** The last event that says where a page goes on. */
  let lastId = "";

  function connect() {
    source?.close();
    const url = new URL(feed, location.href);
    if (lastId !== "") url.searchParams.set(resumeBy, lastId);
    source = new EventSource(url);
    source.addEventListener("open", () => {
      live.textContent = "Live.";
    });
    for (const [name, take] of Object.entries(listeners)) {
      source.addEventListener(name, (event) => {
        // Not every event says where to go on.
        lastId = event.lastEventId || lastId;
        take(JSON.parse(event.data));
      });
    }
    source.addEventListener("error", () => {
      live.textContent = source.readyState === EventSource.CLOSED
        ? "No longer live: load the page again."
        : "The server does not answer; trying again.";
    });
  }

  // A browser opens few connections to a server: those in view have them.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else connect();
  });
  connect();
}
