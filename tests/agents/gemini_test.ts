/**
 * A real agent from npm, unmodified, in every run of the tests: Gemini CLI.
 *
 * @module
 */
import { GEMINI } from "../../runner/agents/profiles/gemini.ts";
import { clientPath, HAS_NPM, SKIP_NOTE } from "../support/clients.ts";
import { runTurns } from "./acp_turns.ts";

Deno.test({
  name:
    `Gemini CLI runs turns, calls our tools, is killed and goes on, is interrupted, and archives itself${SKIP_NOTE}`,
  ignore: !HAS_NPM || Deno.build.os !== "linux",
  async fn(t) {
    const path = await clientPath("@google/gemini-cli");
    await runTurns(t, {
      profile: GEMINI,
      forgetsYoung: true,
      modules: path.slice(0, path.lastIndexOf("/@google")),
      env: (model) => ({
        GEMINI_API_KEY: "scripted",
        GOOGLE_GEMINI_BASE_URL: model,
      }),
    });
  },
});
