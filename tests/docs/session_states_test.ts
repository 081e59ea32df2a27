import { equal } from "node:assert/strict";
import { renderStates } from "../../fleet/sessions/render_states.ts";
import page from "../../docs/session-states.md" with { type: "text" };

Deno.test("docs/session-states.md is the table of states", () => {
  equal(page, renderStates(), "Write what renderStates() gives into the page");
});
