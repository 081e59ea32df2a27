import { deepEqual, equal } from "node:assert/strict";
import {
  checkConfiguration,
  type Configuration,
  SETTABLE_TYPES,
} from "../../../fleet/mod.ts";
import {
  configurationOf,
  fieldOfRefusal,
  type SettableType,
  valuesOf,
} from "./condition_fields.ts";

const STORED: Readonly<Record<SettableType, readonly Configuration[]>> = {
  schedule: [
    { interval: 5, unit: "minutes", timezone: "UTC" },
    {
      interval: 1,
      unit: "weeks",
      time: "09:00",
      day_of_week: "monday",
      timezone: "Europe/Berlin",
      missed: "skip",
    },
    { scheduled_at: "2027-06-01T02:30:00", timezone: "Europe/Berlin" },
  ],
  github_label: [{
    repos: ["a/b", "c/d"],
    labels: ["ready", "go now"],
    exclude_labels: ["wip"],
    target: "both",
  }],
  github_issue: [{ repos: ["a/b"], target: "issues" }],
  slack: [
    { channel_id: "C0123456789", event_type: "mention" },
    {
      channel_id: "C0123456789",
      channel_name: "ops",
      event_type: "message",
      from_users: ["U0123456789", "U0123456788"],
    },
  ],
  webhook: [{}, { signed: true }],
  system_event: [{ event_names: ["runner_lost", "login_limited"] }],
};

Deno.test.each(
  SETTABLE_TYPES.flatMap((type) =>
    STORED[type].map((one) => [type, JSON.stringify(one), one] as const)
  ),
)(
  "the form of a stored %s %s means the same again",
  (type, _text, stored) => {
    const again = checkConfiguration(
      type,
      configurationOf(type, valuesOf(type, stored)),
    );
    deepEqual({ missed: "once", ...again }, { missed: "once", ...stored });
  },
);

Deno.test("a time of day that a new form begins with is no part of what is counted in hours", () => {
  const values = { ...valuesOf("schedule", undefined), unit: ["hours"] };
  deepEqual(configurationOf("schedule", values), {
    interval: 1,
    unit: "hours",
    timezone: "UTC",
  });
});

Deno.test.each(
  [
    ["schedule", { interval: ["x"] }, "interval"],
    ["schedule", { time: ["25:00"] }, "time"],
    ["schedule", { unit: ["weeks"] }, "day_of_week"],
    ["schedule", { timezone: ["Mars/Base"] }, "timezone"],
    ["schedule", { unit: ["once"] }, "scheduled_at"],
    ["github_label", { repos: ["a b"], labels: ["x"] }, "repos"],
    ["github_label", { repos: ["a/b"] }, "labels"],
    ["slack", { channel_id: ["#ops"] }, "channel_id"],
    ["system_event", {}, "event_names"],
  ] as const,
)(
  "what is refused of a %s %j is told at its field %s",
  (type, given, field) => {
    const values = { ...valuesOf(type, undefined), ...given };
    let message = "";
    try {
      checkConfiguration(type, configurationOf(type, values));
    } catch (error) {
      message = String((error as Error).message);
    }
    equal(fieldOfRefusal(type, message), field, message);
  },
);
