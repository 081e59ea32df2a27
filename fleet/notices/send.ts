/**
 * Sends notices to people: a job for each target, so that one that cannot be
 * reached is tried again alone. How it goes is written down for health.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { sendJob } from "../../store/jobs/mod.ts";
import {
  dropSubscription,
  findSendable,
  findSubscription,
  listSubscriptionIds,
  noteSent,
  noteUnsent,
  type SendableNotice,
} from "../../store/notices/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import type { Fleet } from "../fleet.ts";
import { endOfStrangers, mayBeTold } from "./owners.ts";
import { vapidKeys } from "./subscribe.ts";
import { pushRequest } from "./web_push.ts";

/** A target that takes longer has failed. */
const LIMIT_MS = 10_000;
/** Characters of a message: a push has room for 4 KB. */
const MAX_CHARACTERS = 500;
/** The target of NOTIFY_URL. */
const NOTIFY_URL = "notify_url";

/** Sends a notice on to every target there is, a job each. */
export async function pushNotice(
  { store, outside, people }: Pick<Fleet, "store" | "outside" | "people">,
  noticeId: number,
): Promise<number> {
  const db = await store.db();
  if (await findSendable(db, noticeId) === undefined) return 0;
  await endOfStrangers({ store, people });
  const targets = [
    ...(outside?.notifyUrl === undefined ? [] : [NOTIFY_URL]),
    ...(await listSubscriptionIds(db)).map((id) => `push:${id}`),
  ];
  if (targets.length === 0) return 0;
  await db.transaction(async (tx) => {
    for (const target of targets) {
      await sendJob(tx, "default", {
        kind: "send_notice",
        notice_id: noticeId,
        target,
      });
    }
  });
  return targets.length;
}

/**
 * Sends a notice to one target, unless it is no longer so.
 *
 * @throws {Error} The target did not take it: it is to be tried again.
 */
export async function sendNotice(
  { store, outside, people }: Pick<Fleet, "store" | "outside" | "people">,
  noticeId: number,
  target: string,
): Promise<"sent" | "void"> {
  const db = await store.db();
  const notice = await findSendable(db, noticeId);
  if (notice === undefined) return "void";
  const text = JSON.stringify(bodyOf(notice));
  if (target === NOTIFY_URL) {
    const url = outside?.notifyUrl;
    if (url === undefined) return "void";
    const request = new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
    return await deliver(db, target, request);
  }
  const browser = await findSubscription(db, Number(target.slice(5)));
  if (browser === undefined || !await mayBeTold({ people }, browser)) {
    return "void";
  }
  const request = await pushRequest(browser, text, await vapidKeys(store));
  return await deliver(db, target, request, browser.id);
}

/** What a notice says: the fields that ntfy and the like read among them. */
function bodyOf(
  { id, type, sessionId, sessionTitle, message, createdAt }: SendableNotice,
): Record<string, unknown> {
  const what = WORDS[type] ?? type;
  return {
    title: cutText(`${sessionTitle}: ${what}`, 150),
    message: cutText(message ?? `Session ${sessionId} ${what}`, MAX_CHARACTERS),
    type,
    session_id: sessionId,
    notification_id: id,
    created_at: createdAt.toISOString(),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  session_needs_input: "needs input",
  session_failed: "failed",
  session_archived: "is archived",
  message: "says",
};

/** Statuses that say that a browser is gone for good. */
const GONE = [404, 410];

async function deliver(
  db: Db,
  target: string,
  request: Request,
  browser?: number,
): Promise<"sent" | "void"> {
  let problem: string;
  try {
    const response = await fetch(request, {
      signal: AbortSignal.timeout(LIMIT_MS),
      redirect: "error",
    });
    await response.body?.cancel();
    if (response.ok) {
      await noteSent(db, target);
      return "sent";
    }
    if (browser !== undefined && GONE.includes(response.status)) {
      await dropSubscription(db, browser);
      return "void";
    }
    problem = `it answers ${response.status}`;
  } catch (error) {
    // The address may hold a secret, and stands in some of these messages.
    problem = error instanceof DOMException && error.name === "TimeoutError"
      ? `it does not answer within ${LIMIT_MS / 1_000} s`
      : "it cannot be reached";
  }
  await noteUnsent(db, target, problem);
  throw new Error(`A notice was not sent to ${target}: ${problem}`);
}
