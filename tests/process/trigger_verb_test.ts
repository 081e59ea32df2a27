import { equal, match } from "node:assert/strict";
import { openHome, runVerb, startStdio } from "../support/process.ts";

Deno.test("trigger lists, shows, fires and switches from a terminal", async () => {
  await using home = await openHome();
  const catalog = `${home.home}/roots.json`;
  await Deno.writeTextFile(catalog, JSON.stringify({ gardener: {} }));
  const env = { ...home.env, CATALOG: catalog };
  const run = (...words: string[]) => runVerb(["trigger", ...words], env);
  match((await run("list")).stdout, /No server was seen[^]*No triggers/);
  {
    await using server = startStdio(["--groups", "triggers"], env);
    await server.call("action_trigger", {
      action: "create",
      name: "Every morning",
      agent_root_name: "gardener",
      prompt_template: "Water {{title}}",
      trigger_type: "schedule",
      configuration: {
        unit: "days",
        time: "09:30",
        timezone: "Europe/Berlin",
      },
    });
    await server.end();
  }
  match(
    (await run("list")).stdout,
    /1 +enabled +gardener +Every morning +every day at 09:30 in Europe\/Berlin; next/,
  );
  match((await run("disable", "1")).stdout, /Trigger 1 is disabled/);
  const fired = await run("run", "1", "--variables", '{"title":"roses"}');
  match(fired.stdout, /Started session 1/);
  equal(fired.code, 0);
  const shown = JSON.parse((await run("show", "1", "--json")).stdout);
  equal(shown.trigger.status, "disabled");
  equal(shown.sessions[0].id, 1);
  match((await run("show", "1")).stdout, /Water \{\{title\}\}/);
  match((await run("enable", "1")).stdout, /Trigger 1 is enabled/);
  const failed = await run("list", "--status", "failed", "--json");
  equal(failed.stdout.trim(), "[]");
  for (
    const [words, message] of [
      [[], /one of list, show, run, enable, disable/],
      [["show"], /needs the id/],
      [["show", "one"], /it got "one"/],
      [["list", "--status", "x"], /enabled, disabled, failed/],
      [["run", "1", "--variables", "[]"], /JSON object/],
    ] as const
  ) {
    const { code, stderr } = await run(...words);
    equal(code, 2);
    match(stderr, message);
  }
  match((await run("show", "7")).stderr, /Trigger 7 does not exist/);
});
