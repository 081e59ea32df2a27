/**
 * Lets this browser be told of notices while no page is open. What it decides
 * goes to the server in the page's own form.
 *
 * @module
 */
const panel = document.getElementById("push");
const form = document.getElementById("push-form");
const state = document.getElementById("push-state");
const buttons = {
  on: document.getElementById("push-on"),
  off: document.getElementById("push-off"),
};
/** Where its worker is at home: there, it may stand for no other page. */
const SCOPE = "/notifications";

/** As the server names a browser that it knows. */
async function nameOf({ endpoint }) {
  const bytes = new TextEncoder().encode(endpoint);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].slice(0, 8)
    .map((one) => one.toString(16).padStart(2, "0")).join("");
}

function keyBytes() {
  const text = panel.dataset.key.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

function send(wish, subscription) {
  const { endpoint, keys } = subscription.toJSON();
  const fields = { do: wish, endpoint, p256dh: keys.p256dh, auth: keys.auth };
  for (const [name, value] of Object.entries(fields)) {
    form.elements.namedItem(name).value = value;
  }
  form.submit();
}

async function subscribe() {
  if (await Notification.requestPermission() !== "granted") {
    return show("This browser does not let this page notify you.");
  }
  const registration = await navigator.serviceWorker.register(
    panel.dataset.worker,
    { scope: SCOPE, updateViaCache: "none" },
  );
  const options = { userVisibleOnly: true, applicationServerKey: keyBytes() };
  const old = await registration.pushManager.getSubscription();
  // One that was made with another key takes nothing from this server.
  if (old !== null) await old.unsubscribe();
  await settled(registration);
  send("subscribe", await registration.pushManager.subscribe(options));
}

/** Waits until the worker runs: none is subscribed before. */
function settled({ installing, waiting, active }) {
  const worker = installing ?? waiting ?? active;
  if (worker.state === "activated") return;
  return new Promise((resolve, reject) =>
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("It was replaced"));
    })
  );
}

async function unsubscribe() {
  const subscription = await subscriptionOf();
  if (subscription === null) return await look();
  await subscription.unsubscribe();
  send("unsubscribe", subscription);
}

async function subscriptionOf() {
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  return await registration?.pushManager.getSubscription() ?? null;
}

function show(words, button) {
  state.textContent = words;
  for (const [name, one] of Object.entries(buttons)) {
    one.hidden = name !== button;
  }
}

async function look() {
  if (!("PushManager" in globalThis && "serviceWorker" in navigator)) {
    return show(
      isSecureContext
        ? "This browser knows no Web Push."
        : "Browsers take Web Push over https only.",
    );
  }
  const subscription = await subscriptionOf();
  const isKnown = subscription !== null &&
    panel.dataset.known.split(" ").includes(await nameOf(subscription));
  if (isKnown) return show("This browser is told.", "off");
  if (Notification.permission === "denied") {
    return show(
      "This browser was told not to show what this page notifies of; its settings undo that.",
    );
  }
  show("This browser is not told.", "on");
}

function during(work) {
  return () =>
    work().catch((error) => {
      show(`That did not work: ${error.message}.`, "on");
    });
}

buttons.on.addEventListener("click", during(subscribe));
buttons.off.addEventListener("click", during(unsubscribe));
during(look)();
