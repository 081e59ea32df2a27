import { equal, rejects } from "node:assert/strict";
import { ConfigError } from "../settings/config.ts";
import { runnerFolder } from "./runner_place.ts";
import { type RunnerWish, wantsRunner } from "./runner_child.ts";

const NOTHING = { runnerCommand: undefined, agentProfiles: undefined };

async function withHome(work: (wish: RunnerWish) => Promise<void>) {
  const home = await Deno.makeTempDir();
  try {
    await work({ home, ...NOTHING });
  } finally {
    for (const folder of new Set([home, runnerFolder(home)])) {
      await Deno.remove(folder, { recursive: true }).catch(() => {});
    }
  }
}

Deno.test("auto runs no runner until somebody asks for agents", async () => {
  await withHome(async (wish) => {
    equal(await wantsRunner(undefined, wish), false);
    equal(await wantsRunner("auto", { ...wish, runnerCommand: ["x"] }), true);
    equal(await wantsRunner("auto", { ...wish, agentProfiles: "a" }), true);
    equal(await wantsRunner("off", { ...wish, runnerCommand: ["x"] }), false);
    equal(await wantsRunner("on", wish), true);
    const folder = `${
      runnerFolder(wish.home)
    }/agents/gemini/node_modules/@google/gemini-cli`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/package.json`,
      JSON.stringify({ version: "1.0.0", bin: { gemini: "x.js" } }),
    );
    equal(await wantsRunner("auto", wish), false, "half an agent is none");
    await Deno.writeTextFile(`${folder}/x.js`, "");
    equal(await wantsRunner("auto", wish), true);
  });
});

Deno.test("a mode that is none is refused by the name of its flag", async () => {
  await withHome(async (wish) => {
    await rejects(
      wantsRunner("yes", wish),
      (error) =>
        error instanceof ConfigError && /--runner.*"yes"/.test(error.message),
    );
  });
});
