import { deepEqual, equal } from "node:assert/strict";
import { settingsOf } from "../settings/config.ts";
import { readSettings } from "../settings/read_config.ts";
import { buildParts } from "./parts.ts";

Deno.test("who writes in Slack is known by the name that the file of people has for them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const USERS = `${folder}/users.json`;
    await Deno.writeTextFile(
      USERS,
      JSON.stringify({
        users: [{
          name: "ada",
          key_sha256: "0".repeat(64),
          role: "write",
          slack_ids: ["U0ADA00000"],
        }],
      }),
    );
    const env: Record<string, string> = {
      USERS,
      SLACK_BOT_TOKEN: "xoxb-1",
      ROOTCELLAR_HOME: folder,
    };
    const { config } = readSettings(
      settingsOf(
        "database",
        "catalog",
        "fleet",
        "cortex",
        "layout",
        "outside",
        "log",
      ),
      { flags: {}, env: (name) => env[name], os: "linux", uid: 0 },
    );
    await using parts = buildParts(config);
    const { outside, humanChannels } = parts.services;
    equal(await outside?.slackName?.("U0ADA00000"), "ada");
    equal(await outside?.slackName?.("U0BOB00000"), undefined);
    equal(outside?.slackToken, "xoxb-1");
    deepEqual(humanChannels, ["web_ui", "slack"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
