/**
 * Shows the notices that a push service brings to this browser, and leads to
 * their session. It fetches nothing and stands between no page and its server.
 *
 * @module
 */
function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener("push", (event) => {
  const { title, message, session_id, notification_id } = read(event.data);
  event.waitUntil(
    self.registration.showNotification(String(title ?? "Rootcellar"), {
      body: String(message ?? ""),
      tag: `notice-${notification_id ?? 0}`,
      data: Number.isSafeInteger(session_id)
        ? `/sessions/${session_id}`
        : "/notifications",
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data));
});
