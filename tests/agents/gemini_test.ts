/**
 * A real agent from npm, unmodified, in every run of the tests: Gemini CLI. As
 * root it runs as a user of its own, as agents of root's runner do.
 *
 * @module
 */
import { GEMINI } from "../../runner/agents/profiles/gemini.ts";
import type { AgentUser } from "../../runner/folders.ts";
import { runAs } from "../../runner/process/run_as.ts";
import { clientPath, HAS_NPM, SKIP_NOTE } from "../support/clients.ts";
import { runTurns } from "./acp_turns.ts";

const OTHER_USER: AgentUser = { uid: 64_021, gid: 64_021 };

/** A user of its own, where there can be one who gets to the package. */
async function userFor(path: string): Promise<AgentUser | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const other = { cwd: "/", owner: OTHER_USER };
  for (const argument of [path, Deno.execPath()]) {
    const code = await runAs(other, '[ -r "$1" ]', { argument });
    if (code !== 0) return undefined;
  }
  return OTHER_USER;
}

Deno.test({
  name:
    `Gemini CLI runs turns, calls our tools, runs hooks, is killed and goes on, is interrupted, and archives itself${SKIP_NOTE}`,
  ignore: !HAS_NPM || Deno.build.os !== "linux",
  async fn(t) {
    const path = await clientPath("@google/gemini-cli");
    await runTurns(t, {
      profile: GEMINI,
      forgetsYoung: true,
      modules: path.slice(0, path.lastIndexOf("/@google")),
      user: await userFor(path),
      env: (model) => ({
        GEMINI_API_KEY: "scripted",
        GOOGLE_GEMINI_BASE_URL: model,
      }),
    });
  },
});
