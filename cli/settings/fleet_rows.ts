/**
 * Settings of the fleet, and of what its triggers and notices reach outside.
 *
 * @module
 */
import { row } from "./setting.ts";
import { name, pathOrNone, text, textOr, whole } from "./values.ts";

/** Settings of sessions and of those who steer them. */
export const FLEET_ROWS = {
  routerRoot: row({
    name: "ROUTER_ROOT",
    group: "fleet",
    meaning: "the agent root that work of the backlog is started on",
    isCarried: true,
    ...textOr("router"),
  }),
  defaultRuntime: row({
    name: "DEFAULT_RUNTIME",
    group: "fleet",
    meaning: "the agent of sessions whose root names none (docs/runner.md)",
    isCarried: true,
    ...name("claude_code"),
  }),
  elicitationMinutes: row({
    name: "ELICITATION_MINUTES",
    group: "fleet",
    meaning:
      "minutes that a question of an agent waits for an answer, where it names no end of its own",
    isCarried: true,
    ...whole(60, 1, 7 * 24 * 60),
  }),
  prices: row({
    name: "PRICES",
    group: "fleet",
    meaning: "a JSON file with prices of models of your own (docs/costs.md)",
    isCarried: true,
    ...pathOrNone("the built-in table"),
  }),
  users: row({
    name: "USERS",
    group: "fleet",
    meaning:
      "a JSON file of people who sign in to the pages by name (`users add NAME` writes it)",
    isCarried: true,
    ...pathOrNone("none: an API key is everybody's"),
  }),
};

/** Settings of services outside. */
export const OUTSIDE_ROWS = {
  githubToken: row({
    name: "GITHUB_TOKEN",
    group: "outside",
    meaning: "a token of GitHub, for triggers on labels and issues",
    isSecret: true,
    ...text("none: such triggers are not read"),
  }),
  githubApiUrl: row({
    name: "GITHUB_API_URL",
    group: "outside",
    meaning: "where GitHub's API is, for an enterprise's own",
    ...text("https://api.github.com"),
  }),
  slackBotToken: row({
    name: "SLACK_BOT_TOKEN",
    group: "outside",
    meaning: "a bot's token of Slack, for triggers on messages",
    isSecret: true,
    ...text("none: such triggers are not read"),
  }),
  notifyUrl: row({
    name: "NOTIFY_URL",
    group: "outside",
    meaning: "where notices for people are posted to as JSON",
    isSecret: true,
    ...text("none"),
  }),
};
