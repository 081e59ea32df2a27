/** Names that look the same and are written with other code points. */
import { equal, match, ok } from "node:assert/strict";
import { openEndpoint } from "../support/endpoint.ts";

/** As it is known: é is one code point. */
const KNOWN = "caf\u00e9";
/** As it is given: é is two. */
const GIVEN = "cafe\u0301";
const NOTE = new RegExp(`"${KNOWN}" looks the same .*copy the name`);

Deno.test("a name that only looks like one of the catalog is refused, or stored with a warning, and told which it looks like", async () => {
  await using endpoint = await openEndpoint();
  const files = {
    "known-roots.json": { [KNOWN]: { name: KNOWN } },
    "known-mcp.json": {
      [KNOWN]: { type: "http", url: "https://example.org/mcp" },
    },
  };
  for (const [name, content] of Object.entries(files)) {
    await Deno.writeTextFile(
      `${endpoint.folder}/${name}`,
      JSON.stringify(content),
    );
  }
  await endpoint.setRootsText(JSON.stringify({
    $schema: "https://pulsemcp.github.io/air/schemas/air.schema.json",
    name: "test",
    roots: ["./known-roots.json"],
    mcp: ["./known-mcp.json"],
  }));
  const start = (args: Record<string, unknown>) =>
    endpoint.call("?tool_groups=sessions", "start_session", args);
  for (
    const args of [
      { agent_root: GIVEN },
      { agent_root: KNOWN, mcp_servers: [GIVEN] },
    ]
  ) {
    const { isError, text } = await start(args);
    ok(isError, text);
    match(text, NOTE);
  }
  const { data } = await endpoint.call(
    "?tool_groups=triggers",
    "action_trigger",
    {
      action: "create",
      name: "Later",
      agent_root_name: GIVEN,
      prompt_template: "x",
      trigger_type: "system_event",
      configuration: { event_names: ["runner_lost"] },
      mcp_servers: [GIVEN],
    },
  );
  const warnings = data.warnings.filter((one: string) => NOTE.test(one));
  equal(warnings.length, 2, data.warnings.join("\n"));
});
