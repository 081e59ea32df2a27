/**
 * Channels of Slack for whoever makes a trigger; the package is loaded then.
 *
 * @module
 */
import type { SlackChannel } from "./slack.ts";
import type { OutsideSettings } from "./watcher.ts";

/**
 * Lists channels that the bot may see.
 *
 * @throws {WatchError} Slack cannot be read; the message says why.
 */
export async function readSlackChannels(
  settings: OutsideSettings,
): Promise<readonly SlackChannel[]> {
  const { listSlackChannels } = await import("./slack.ts");
  return await listSlackChannels(settings);
}
