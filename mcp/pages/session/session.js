/**
 * Keeps the page of a session as it is: adds what is said, and puts panels that
 * changed in the place of the old ones. The page works without it. In front of it
 * stands `live/follow.js`.
 *
 * @module
 */
const root = document.querySelector(".session");
const transcript = document.getElementById("transcript");
/** Panels that changed while somebody wrote in them. */
const waiting = new Map();

/** Markup comes from this server alone, escaped as on its page. */
function toElement(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup.trim();
  return template.content.firstElementChild;
}

function isAtEnd() {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
}

function takeSaid({ key, item }) {
  const old = document.getElementById(key);
  const fresh = toElement(item);
  const isOpen = old?.querySelector("details")?.open;
  const follows = isAtEnd();
  if (old === null) transcript.append(fresh);
  else old.replaceWith(fresh);
  const details = fresh.querySelector("details");
  if (isOpen !== undefined && details !== null) details.open = isOpen;
  document.getElementById("silent")?.remove();
  if (old === null && follows && fresh.matches(":last-child")) {
    fresh.scrollIntoView({ block: "nearest" });
  }
}

/** Whether somebody is writing, or has opened something to write in. */
function isInUse(panel) {
  const { activeElement } = document;
  return panel.contains(activeElement) &&
      activeElement.matches("input, textarea, select") ||
    panel.querySelector("details[open] textarea, [data-draft]") !== null ||
    [...panel.querySelectorAll("textarea, input, select")].some((one) =>
      one.matches("textarea, input:not([type=checkbox], [type=hidden])") &&
      one.value !== one.defaultValue
    );
}

function takePanel({ name, panel }) {
  const old = document.getElementById(name);
  if (isInUse(old)) {
    waiting.set(name, panel);
    return;
  }
  waiting.delete(name);
  const had = old.contains(document.activeElement)
    ? document.activeElement.value ?? ""
    : undefined;
  const fresh = toElement(panel);
  old.replaceWith(fresh);
  if (had === undefined) return;
  const again = [...fresh.querySelectorAll("button, a")]
    .find((one) => one.value === had) ?? fresh.querySelector("button, a");
  again?.focus();
}

document.addEventListener("focusout", () => {
  setTimeout(() => {
    for (const [name, panel] of [...waiting]) takePanel({ name, panel });
  });
});

follow({
  feed: root.dataset.feed,
  resumeBy: "last",
  listeners: { said: takeSaid, panel: takePanel },
});
