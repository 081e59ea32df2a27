/**
 * Keeps an open board as it is: puts the cards that the server sends into their
 * places, and lets keys go from card to card. The page works without it. In front
 * of it stands `live/follow.js`.
 *
 * @module
 */
const board = document.getElementById("board");
const REFRESH_MS = 30_000;

/** Cards come from this server alone, drawn and escaped as on its page. */
function toCard(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content.firstElementChild;
}

function place(list, card) {
  const later = [...list.children].find((one) =>
    one.dataset.place > card.dataset.place
  );
  list.insertBefore(card, later ?? null);
}

function count() {
  let all = 0;
  for (const lane of board.querySelectorAll(".lane")) {
    const { length } = lane.querySelectorAll(".card");
    lane.querySelector(".count").textContent = String(length);
    lane.hidden = length === 0;
    all += length;
  }
  document.getElementById("nothing").hidden = all > 0;
}

function take({ id, lane, card }) {
  const old = document.getElementById(`s${id}`);
  const focused = old?.contains(document.activeElement)
    ? document.activeElement
    : undefined;
  const fresh = card === undefined ? undefined : toCard(card);
  // Somebody may be choosing there: an open list stays open.
  const isOpen = old?.querySelector("details[open]") !== null;
  old?.remove();
  if (fresh !== undefined) {
    const list = document.querySelector(
      `#${CSS.escape(`lane-${lane}`)} .cards`,
    ) ?? document.querySelector("#lane-c0 .cards");
    place(list, fresh);
    const details = fresh.querySelector("details");
    if (old !== null && isOpen && details !== null) details.open = true;
  }
  count();
  if (focused === undefined) return;
  const again = focused.matches("a")
    ? fresh?.querySelector("a")
    : fresh?.querySelector(focused.matches("summary") ? "summary" : "button");
  again?.focus();
}

follow({
  feed: board.dataset.feed,
  resumeBy: "since",
  listeners: { card: take },
});

setInterval(() => {
  for (const one of board.querySelectorAll("time")) {
    const minutes = Math.floor((Date.now() - Date.parse(one.dateTime)) / 60e3);
    if (minutes < 1) continue;
    one.textContent = minutes < 60
      ? `${minutes} min ago`
      : minutes < 1_440
      ? `${Math.floor(minutes / 60)} h ago`
      : `${Math.floor(minutes / 1_440)} d ago`;
  }
}, REFRESH_MS);

const keys = document.getElementById("keys");
const keysOn = document.getElementById("keys-on");
keys.hidden = false;
keysOn.checked = localStorage.getItem("board-keys") !== "off";
keysOn.addEventListener("change", () => {
  localStorage.setItem("board-keys", keysOn.checked ? "on" : "off");
});

/** The link of the next card, or of the one before. */
function step(by) {
  const links = [...board.querySelectorAll(".lane:not([hidden]) .card > a")];
  const at = links.findIndex((one) =>
    one.parentElement.contains(document.activeElement)
  );
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  f: () =>
    document.activeElement?.closest(".card")?.querySelector(".star")?.click(),
  n: () => document.getElementById("new")?.click(),
  "/": () => {
    const search = document.getElementById("q");
    search.closest("details").open = true;
    search.focus();
  },
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select") !== null;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  const action = ACTIONS[event.key];
  if (!keysOn.checked || isTyping || hasModifier || action === undefined) {
    return;
  }
  event.preventDefault();
  action();
});
